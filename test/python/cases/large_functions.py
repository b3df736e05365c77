"""Short programs of many functions, or of many work-items, which become much native code."""

from cases.large_cases import EXP, elements
from cases.large_programs import applied, chain, kernel, matrix

FUNCTIONS = ("sin", "cos", "exp", "log", "tanh", "expm1", "log1p", "exp2", "log2", "rsqrt")


def subgroups(type_: str, steps: list[str], *, size: int = 64) -> str:
    """Return a program of a work-group of 1,024, whose work-items take some steps."""
    body = f"""parallel {{
%l = subgroup_local_id : i32
%s = subgroup_id.x : i32
%m = mul %s, {size} : i32
%n = add %m, %l : i32
%i = cast %n : index
%v0 = load %A[%i] : {type_}
{chain(steps).replace("TYPE", type_)}
store %v{len(steps)}, %B[%i]
}}"""
    attributes = f"subgroup_size={size}, work_group_size=[1024,1]"
    return kernel(f"%A:{type_}x1024 %B:{type_}x1024", body, attributes)


def _each(word: str, count: int = 85) -> list[str]:
    return [f"@out = {word} : TYPE"] * count


FUNCTION_PROGRAMS = {
    **{
        f"{count}_exp_of_{t}": matrix(t, "32x32", 4, [EXP] * count)
        for t in ("f16", "bf16", "f32", "f64")
        for count in (1, 5)
    },
    **{
        f"{word}_of_f64": elements((1000,), _each(f"{word} @in"), type_="f64") for word in FUNCTIONS
    },
    **{
        f"{word.split()[0]}_of_f32": elements((1000,), _each(word))
        for word in ("cos @in", "exp @in", "pow @in, @in", "rem @in, 3.0")
    },
    "tanh_of_f16": matrix("f16", "32x32", 4, [applied("tanh")] * 9),
    "pow_of_many": subgroups("f64", _each("pow @in, @in")),
    "cos_of_many": subgroups("f16", _each("cos @in")),
    "sums_of_many": subgroups("bf16", _each("add @in, @in")),
    "exp_of_many": subgroups("c64", _each("exp @in")),
    "quotients_of_many": subgroups("c64", _each("div @in, @in")),
    "quotients_of_8": subgroups("c32", _each("div @in, @in"), size=8),
}
