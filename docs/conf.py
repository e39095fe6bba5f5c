"""How the site is built: make docs."""

import re
import warnings

import zerone
from zerone.metrics import METRICS

project = "zerone"
author = "The zerone developers"
copyright = "2026, The zerone developers"
release = zerone.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx-mathjax-offline",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["gallery", "results/README.md", "results/rivals/README.md"]
templates_path = ["_templates"]
myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence"]
myst_heading_anchors = 3

html_theme = "pydata_sphinx_theme"
html_title = "zerone"
html_theme_options = {
    "show_toc_level": 2,
    "navigation_with_keys": False,
    # All sections of the site in one row of the header, with the search as an icon.
    "header_links_before_dropdown": 7,
    "navbar_persistent": ["search-button"],
    # No empty column where a page has nothing to list.
    "secondary_sidebar_items": {
        "**": ["page-toc"],
        "index": [],
        "guide": [],
        "background": [],
        "reference": [],
        "api": [],
        "examples/index": [],
    },
    "show_prev_next": False,
}
# These pages are the only ones of their section, so there is nothing to navigate.
html_sidebars = {
    name: [] for name in ("index", "start", "command_line", "contributing", "search", "genindex")
}
html_show_sourcelink = False

autosummary_generate = True
# Names that differ only in upper and lower case need different files.
autosummary_filename_map = {
    f"zerone.comparison.{name}": f"zerone.comparison.{name}-function"
    for name in ("contestants", "verdict")
}
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
autodoc_typehints = "none"
default_role = "code"

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"plot_.*\.py",
    "remove_config_comments": True,
    "show_memory": False,
    "download_all_examples": False,
    "capture_repr": (),
}

# Pages on the repository, outside of the site, are linked as they are there.
suppress_warnings = ["config.cache"]
warnings.filterwarnings("ignore", category=UserWarning, message=".*non-interactive.*")


def _escape_marks(app, what, name, obj, options, lines):
    """Keep ``**parameters`` and ``|t|`` in docstrings from being read as markup."""
    for number, line in enumerate(lines):
        if "`" not in line:
            if " : " in line:
                line = line.replace("**", r"\*\*")
            lines[number] = re.sub(r"\|(\w+)\|", r"\\|\1\\|", line)


def _list_metrics(app, what, name, obj, options, lines):
    """Add the entries of the table of metrics to its page."""
    if name == "zerone.metrics.METRICS":
        for metric in METRICS.values():
            takes = ", ".join(f"``{own}``" for own in metric.parameters) or "none"
            lines += ["", f"``{metric.name}``", f"    {metric.description}; parameters: {takes}"]


def setup(app):
    """Connect what is done before numpydoc reads a docstring."""
    app.connect("autodoc-process-docstring", _escape_marks, priority=100)
    app.connect("autodoc-process-docstring", _list_metrics, priority=100)
