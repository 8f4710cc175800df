package cfgpath

// Keep bounds what is kept for a function until restore is called.
func Keep(size int) (restore func()) {
	old := maxKept
	maxKept = size
	return func() { maxKept = old }
}
