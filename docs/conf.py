"""The documentation site: `make docs` builds it into build/docs/html.

The source folder is the repository itself, so that the links between the README, docs, results and examples lead to
the same places on the site as in the repository.
"""

import sys
from pathlib import Path

from sandtable.version import __version__

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(Path(__file__).parent))

project = "Sandtable"
author = "the authors of Sandtable"
copyright = author
version = release = __version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_copybutton", "from_code"]
root_doc = "docs/index"
include_patterns = [
    "*.md",
    "docs/**.md",
    "examples/*.md",
    "examples/*/README.md",
    "examples/*.ipynb",
    "results/*/report.md",
    "results/*/*/report.md",
    "results/*/*/README.md",
]
exclude_patterns = ["build", "dist", "runs", ".*", "tests", "src", "cpp", "recipes", "benchmarks"]
nitpicky = False
highlight_language = "text"  # of blocks that name none

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
nb_execution_mode = "cache"  # a notebook runs again when it has changed
nb_execution_cache_path = str(ROOT / "build" / "docs" / "notebooks")
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_merge_streams = True

default_role = "code"  # docstrings have `names` in single backticks
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_member_order = "groupwise"
autodoc_preserve_defaults = True
autodoc_mock_imports = ["pyspiel"]  # only `make ci` installs it; the site shows the docstring of its module

html_theme = "furo"
html_title = f"Sandtable {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
templates_path = ["_templates"]
html_additional_pages = {"index": "redirect.html"}
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
