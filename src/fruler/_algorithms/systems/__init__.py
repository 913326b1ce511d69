"""The systems that the paper compares FRULER with: FS_MOGFS with TUN, and METSK-HD in its two forms."""
