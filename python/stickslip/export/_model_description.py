"""The model description of an FMU, the XML file that tells its variables."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from stickslip import _core
from stickslip.export._variables import Variable, base_unit

_STATES_2 = {
    "canGetAndSetFMUstate": "true",
    "canSerializeFMUstate": "true",
    "providesDirectionalDerivative": "true",
}
_STATES_3 = {
    "canGetAndSetFMUState": "true",
    "canSerializeFMUState": "true",
    "providesDirectionalDerivatives": "true",
}
_INTERFACES = {
    ("2.0", "co-simulation"): {
        "canHandleVariableCommunicationStepSize": "true",
        "canNotUseMemoryManagementFunctions": "true",
        **_STATES_2,
    },
    ("3.0", "model exchange"): {"needsCompletedIntegratorStep": "true", **_STATES_3},
    ("3.0", "co-simulation"): {
        "canHandleVariableCommunicationStepSize": "true",
        "hasEventMode": "true",
        "mightReturnEarlyFromDoStep": "true",
        **_STATES_3,
    },
}
_ELEMENTS = {"model exchange": "ModelExchange", "co-simulation": "CoSimulation"}  # in the order of the schema


def model_description(
    variables: Sequence[Variable],
    *,
    version: str,
    kinds: Sequence[str],
    name: str,
    identifier: str,
    token: str,
    rtol: float,
) -> bytes:
    """Return the file ``modelDescription.xml`` for FMI 2.0 or 3.0."""
    given = {"fmiVersion": version, "modelName": name}
    given["guid" if version == "2.0" else "instantiationToken"] = token
    given |= {
        "description": "A machine with friction, backlash or impact",
        "generationTool": f"stickslip {_core.__version__}",
        "variableNamingConvention": "structured",
    }
    root = Element("fmiModelDescription", given)
    for kind, element in _ELEMENTS.items():
        if kind in kinds:
            SubElement(root, element, {"modelIdentifier": identifier, **_INTERFACES[version, kind]})
    _add_units(root, variables)
    category = {"name": "logStatusError", "description": "errors"}
    SubElement(SubElement(root, "LogCategories"), "Category", category)
    SubElement(root, "DefaultExperiment", {"startTime": "0", "tolerance": repr(rtol)})
    listed = SubElement(root, "ModelVariables")
    for variable in variables:
        (_add_variable_2 if version == "2.0" else _add_variable_3)(listed, variable)
    _add_structure(root, variables, version)
    indent(root)
    text: bytes = tostring(root, encoding="utf-8", xml_declaration=True)
    return text


def _add_units(root: Element, variables: Sequence[Variable]) -> None:
    used = {v.unit: v.quantity for v in variables if v.unit is not None}
    definitions = SubElement(root, "UnitDefinitions")
    for unit, quantity in used.items():
        exponents = {base: str(n) for base, n in base_unit(quantity).items()}
        SubElement(SubElement(definitions, "Unit", {"name": unit}), "BaseUnit", exponents)


def _common(v: Variable) -> dict[str, str]:
    if v.causality == "parameter":
        variability = "tunable" if v.tunable else "fixed"
    else:
        variability = "discrete" if v.integer else "continuous"
    return {
        "name": v.name,
        "valueReference": str(v.reference),
        "description": v.described,
        "causality": v.causality,
        "variability": variability,
    }


def _values(v: Variable) -> dict[str, str]:
    unit = {} if v.unit is None else {"unit": v.unit}
    return unit if v.start is None else {**unit, "start": repr(v.start)}


def _add_variable_3(listed: Element, v: Variable) -> None:
    of = {} if v.derivative_of is None else {"derivative": str(v.derivative_of)}
    SubElement(listed, "Int32" if v.integer else "Float64", {**_common(v), **_values(v), **of})


def _add_variable_2(listed: Element, v: Variable) -> None:
    exact = {"initial": "exact"} if v.causality == "parameter" else {}
    scalar = SubElement(listed, "ScalarVariable", {**_common(v), **exact})
    SubElement(scalar, "Integer" if v.integer else "Real", _values(v))


def _add_structure(root: Element, variables: Sequence[Variable], version: str) -> None:
    structure = SubElement(root, "ModelStructure")
    outputs = [v for v in variables if v.causality == "output"]
    if version == "3.0":
        rates = [v for v in variables if v.derivative_of is not None]
        states = [v for v in variables if v.reference in {r.derivative_of for r in rates}]
        initial = list({v.reference: v for v in (*outputs, *rates, *states)}.values())
        indicators = [v for v in variables if v.indicates]
        for kind, listed in (
            ("Output", outputs),
            ("ContinuousStateDerivative", rates),
            ("InitialUnknown", initial),
            ("EventIndicator", indicators),
        ):
            for v in listed:
                SubElement(structure, kind, {"valueReference": str(v.reference)})
    elif outputs:
        for kind in ("Outputs", "InitialUnknowns"):
            unknowns = SubElement(structure, kind)
            for v in outputs:  # numbers of variables count from 1
                SubElement(unknowns, "Unknown", {"index": str(v.reference + 1)})
