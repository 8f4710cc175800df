package reacquire

// The rules of this file speak against a second section that relies on the first: not
// that it does, but that it does harm.

// inTest: tests mostly do one thing after the other.
func (c *candidate) inTest() bool { return c.d.pkg.InTest(c.d.f) }

// deep: the accesses are made many calls away, and much may be decided on the way there.
// If the context keeps consistent what comes of them, less so.
//
//	s.n = c.outer.inner.Len()
func (c *candidate) deep() bool {
	deepest := max(c.read.Calls(), c.access.Calls())
	return deepest > 2 || deepest > 1 && !c.updates()
}

// unprotected: the outer lock protects nothing that comes of the two, and is held by the
// caller, or around a loop: it may be there for other things.
//
//	for range n { // under s.mu
//		sum += c.Get()
//	}
func (c *candidate) unprotected() bool {
	return (c.pair.first == c.pair.second || c.context.entry()) && !c.updates()
}

// undecided: the second section writes neither what comes of the first, nor because of it.
//
//	old := c.Get()
//	c.Set(0)
//	return old
func (c *candidate) undecided() bool { return !c.valueWritten() && !c.writeDecided() }

// onlyDecides: no value goes from the first section to what the second does, it only decides that
// there is a second. Who holds the outer lock for both decides once, and mostly it is that lock
// which keeps the decision right: what it is about, and not what is protected by the inner lock alone.
//
//	if !c.Enabled() { // under s.mu, as all that enable it
//		c.Enable()
//	}
func (c *candidate) onlyDecides() bool {
	switch c.reliance() {
	case writeDecided, readDecided, decidedTogether:
		return true
	}
	return false
}
