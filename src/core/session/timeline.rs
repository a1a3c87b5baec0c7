pub(crate) struct Timeline;
