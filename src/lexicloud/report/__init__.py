"""One page about a folder of texts: results in, plots, tables and HTML out."""

from lexicloud.report.chapters import Missing
from lexicloud.report.page import Page, Section
from lexicloud.report.study import StudiedTexts, study, write_report
from lexicloud.say.html import Html, static_figure, write_figures

__all__ = [
    "Html",
    "Missing",
    "Page",
    "Section",
    "StudiedTexts",
    "static_figure",
    "study",
    "write_figures",
    "write_report",
]
