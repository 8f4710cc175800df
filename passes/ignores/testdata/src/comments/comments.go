// Package comments has comments that silence a finding, or try to.
package comments

import "sync"

type cell struct {
	mu sync.Mutex
	n  int
}

// set is another writer.
func (c *cell) Set(n int) {
	c.mu.Lock()
	c.n = n
	c.mu.Unlock()
}

func (c *cell) Lint() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	//lint:ignore stalevalue one writer
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) LintCategory() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	//lint:ignore lost-update one writer
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) LintBoth() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	//lint:ignore stalevalue/lost-update one writer
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) LintSuite() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	//lint:ignore atomvet one writer
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) LintOthers() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	//lint:ignore SA4006,stalevalue,errcheck one writer
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) Nolint() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n * 2 //nolint:stalevalue // one writer
	c.mu.Unlock()
}

func (c *cell) NolintSpaces() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n * 2 //nolint:errcheck, lost-update // one writer
	c.mu.Unlock()
}

func (c *cell) OtherTool() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	//lint:ignore SA4006 nobody here is called so
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) OtherToolWithoutReason() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n * 2 //nolint:errcheck
	c.mu.Unlock()
}

func (c *cell) Optional() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	//lint:ignore escape only with -stalevalue.strict
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) NolintCapital() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	/* want `does not silence stalevalue` */ //NOLINT:stalevalue // one writer
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) NolintReason() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	/* want `does not silence stalevalue` */ //nolint:stalevalue one writer
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) Prose() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	// nolint and lint:ignore are words, and stalevalue is one
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) NoReason() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	/* want `no-reason: without a reason this comment does not silence stalevalue` */ //lint:ignore stalevalue
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) NoReason2() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n * 2 /* want `no-reason: ` */ //nolint:stalevalue
	c.mu.Unlock()
}

func (c *cell) NoReason3() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n * 2 /* want `no-reason: ` */ //nolint:stalevalue //
	c.mu.Unlock()
}

func (c *cell) Unknown() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	/* want `unknown-name: atomvet has no detector or category "stalevalues"; there is stalevalue` */ //lint:ignore stalevalues one writer
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) UnknownCategory() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	/* want `unknown-name: .*"stalevalue/lost"; there is stalevalue` */ //lint:ignore stalevalue/lost one writer
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) LintSuiteCategory() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	/* want `unknown-name: .*"atomvet/lost-update"; there is lost-update` */ //lint:ignore atomvet/lost-update one writer
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) UnknownCase() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	/* want `unknown-name: ` */ //lint:ignore StaleValue one writer
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) Other() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	/* want `no-effect: there is no finding of reacquire here` */ //lint:ignore reacquire one writer
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) OneOfTwo() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	/* want `no-effect: there is no finding of reacquire here` */ //lint:ignore reacquire,stalevalue one writer
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) OtherCategory() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	/* want `no-effect: there is no finding of check-then-act` */ //lint:ignore check-then-act one writer
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) Malformed() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	/* want `malformed: this comment does not silence stalevalue` */ // lint:ignore stalevalue one writer
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) Malformed2() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n * 2 /* want `malformed: ` */ // nolint:stalevalue // one writer
	c.mu.Unlock()
}

func (c *cell) Malformed3() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	/* want `malformed: ` */ /* nolint:stalevalue */
	c.n = n * 2
	c.mu.Unlock()
}

func (c *cell) Malformed4() {
	c.mu.Lock()
	n := c.n
	c.mu.Unlock()
	c.mu.Lock()
	c.n = n * 2 /* want `malformed: ` */ //nolint stalevalue
	c.mu.Unlock()
}

/* want `no-effect` */ //lint:ignore stalevalue there is nothing

func (c *cell) Observed() int {
	//lint:ignore observe a hint
	c.mu.Lock()
	//lint:ignore observe/stale-value a hint
	defer c.mu.Unlock()
	/* want `without a reason this comment does not silence observe/view-conflict` */ //lint:ignore observe/view-conflict
	return c.n
}

//lint:ignore observe/stale-values a hint // want `atomvet has no detector or category "observe/stale-values"; there is observe/stale-value`
func (c *cell) Misspelt() {}
