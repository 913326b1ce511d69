"""Sums and summaries of blocks, put together, are those of the whole table."""

from functools import reduce

import numpy as np
import pytest
from helpers.tasks import friedman_task

from fruler.discretization import nested_splits
from fruler.distributed.binning import Bins, bin_block, merge_bins, splits_of_bins
from fruler.distributed.blocks import Block, Standard, join, load_part
from fruler.distributed.growth import NormalJob, add_normals, sum_normals, within_limit
from fruler.distributed.quantiles import MOST_BINS, Sketch, median_of, merge_sketches, shortened, sketch_block
from fruler.distributed.summaries import merge_summaries, summarise_block
from fruler.scaling import measure_scale
