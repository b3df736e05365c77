"""From a compiled program to results: manifest, files, arguments, devices and launches."""
