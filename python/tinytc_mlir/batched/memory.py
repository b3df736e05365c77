from .emission import Emission
class Memory(Emission):
    pass
