// Finds the commands of the package in the environments of the workspace.

const fs = require("fs");
const path = require("path");

const NAMES = [".venv", "venv", "env", ".env"];

// Folders of commands: that of the Python extension's choice, those of usual environments, $VIRTUAL_ENV.
function folders(roots, interpreter, variables) {
  const found = interpreter ? [path.dirname(interpreter)] : [];
  for (const root of roots) {
    for (const name of NAMES) found.push(path.join(root, name, "bin"));
  }
  for (const name of ["VIRTUAL_ENV", "CONDA_PREFIX"]) {
    if (variables[name]) found.push(path.join(variables[name], "bin"));
  }
  return found;
}

// The path of a command in the first folder that has it; names with a path, and others, stay as they are.
function locate(command, places) {
  if (command.includes(path.sep)) return command;
  for (const folder of places) {
    const candidate = path.join(folder, command);
    try {
      fs.accessSync(candidate, fs.constants.X_OK);
      return candidate;
    } catch {
      continue;
    }
  }
  return command;
}

module.exports = { folders, locate };
