"""Small maps of both games in their file formats, unchanged or with changes."""

import json

import sandtable as st
from sandtable.tubstap import jsonmap

TBSMAP = """SIZEX[6];SIZEY[5];
TURNLIMIT[12];HPTHRESHOLD[3];
UNITNUMRED[1];UNITNUMBLUE[2];
AUTHOR[somebody];
MAPCOM[a small map];
MAP[0,0,0,0,0,0];
MAP[0,1,2,3,4,0];
MAP[0,5,6,1,1,0];
MAP[0,1,1,1,0,0];
MAP[0,0,0,0,0,0];
UNIT[1,1,infantry,0,10,0];
UNIT[3,2,fighter,1,7,1];
UNIT[1,3,cannon,1,1,0];
"""


def board_document(**changes: object) -> str:
    content = json.loads(jsonmap.format(st.tubstap.parse(TBSMAP)))
    for key, value in changes.items():
        content[key] = value
    return json.dumps({key: value for key, value in content.items() if value is not ...})


def land_document(**changes: object) -> str:
    content: dict[str, object] = {
        "name": "three",
        "territories": [{"name": name, "x": i, "y": 0} for i, name in enumerate("abc")],
        "edges": [[0, 1], ["b", "c"]],
        "bonuses": [{"name": "all", "value": 2, "territories": [0, 1, "c"]}],
    }
    content |= changes
    return json.dumps({key: value for key, value in content.items() if value is not ...})
