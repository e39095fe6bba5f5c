"""How the site is built: make docs."""

import warnings

import zerone

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
html_theme_options = {"show_toc_level": 2, "navigation_with_keys": False}

autosummary_generate = True
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
