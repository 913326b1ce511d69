"""How Sphinx builds the site: `make docs`, which writes it into build/site."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))

import fruler

project = "fruler"
author = "The fruler developers"
copyright = author
version = release = fruler.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "pages",
    "record",
    "docstrings",
    "offline",
]
# examples/ and api/ are written by the build.
exclude_patterns = ["gallery", "pictures", "data", "_*", "Thumbs.db", ".DS_Store"]
templates_path = ["_templates"]

# Every link inside the site must lead somewhere. Types in signatures may be those of packages that have no pages here.
nitpicky = True
nitpick_ignore_regex = [(r"py:.*", r".*")]
# Excerpts of model files have dots where something is left out.
suppress_warnings = ["misc.highlighting_failure"]

# Markdown
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_fence_as_directive = ["math"]
myst_heading_anchors = 4
html_math_renderer = "mathml"

# Python
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
add_module_names = False
toc_object_entries_show_parents = "hide"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "examples",
    "filename_pattern": r"\.py$",
    "subsection_order": [f"gallery/{name}" for name in ("reading", "tables", "use", "paper")],
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "min_reported_time": 1e9,
    "show_memory": False,
    # Displays draw themselves; what they return says nothing.
    "capture_repr": (),
    "notebook_extensions": [],
    "show_signature": False,
    "write_computation_times": False,
    "remove_config_comments": True,
    "thumbnail_size": (400, 280),
    "image_srcset": ["2x"],
    "copyfile_regex": r".*\.rst",
}

# Pages
html_theme = "pydata_sphinx_theme"
html_title = "fruler"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "fruler"},
    "show_prev_next": True,
    "header_links_before_dropdown": 8,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_toc_level": 2,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "start": [], "tutorial": [], "changelog": [], "citing": [], "faq": [], "glossary": []}
