// Package directive silences reports, or tries to.
package directive

import "sync"

type cell struct {
	mu sync.Mutex
	n  int
}

func (c *cell) Lint() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	//lint:ignore stalevalue there is one writer in this test
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) LintSameLine() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n * 2 //lint:ignore stalevalue there is one writer in this test
	c.mu.Unlock()
}

func (c *cell) LintList() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	//lint:ignore SA4006,stalevalue there is one writer in this test
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) Nolint() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n * 2 //nolint:stalevalue // there is one writer in this test
	c.mu.Unlock()
}

func (c *cell) NolintList() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n * 2 //nolint:errcheck,stalevalue // there is one writer in this test
	c.mu.Unlock()
}

func (c *cell) NolintBefore() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	//nolint:stalevalue // there is one writer in this test
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) LintNoReason() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	//lint:ignore stalevalue
	c.n = n * 2 // want `lost-update: c\.n was read`
	c.mu.Unlock()
}

func (c *cell) NolintNoReason() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	//nolint:stalevalue
	c.n = n * 2 // want `lost-update: c\.n was read`
	c.mu.Unlock()
}

func (c *cell) NolintEmptyReason() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	//nolint:stalevalue //
	c.n = n * 2 // want `lost-update: c\.n was read`
	c.mu.Unlock()
}

func (c *cell) OtherAnalyzer() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	//lint:ignore reacquire this is about another analyzer
	c.n = n * 2 // want `lost-update: c\.n was read`
	c.mu.Unlock()
}

func (c *cell) LongerName() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	//nolint:stalevalues // this names no analyzer
	c.n = n * 2 // want `lost-update: c\.n was read`
	c.mu.Unlock()
}

func (c *cell) TooFar() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	//lint:ignore stalevalue the act is two lines below
	c.mu.Lock()
	c.n = n * 2 // want `lost-update: c\.n was read`
	c.mu.Unlock()
}

// A space makes it an ordinary comment.
func (c *cell) Prose() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	// lint:ignore stalevalue this is prose
	c.n = n * 2 // want `lost-update: c\.n was read`
	c.mu.Unlock()
}
