// Package directive silences reports, or tries to.
package directive

import "sync"

type level struct {
	mu sync.Mutex
	n  int
}

func (l *level) Get() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.n
}

func (l *level) Set(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.n = n
}

type dam struct {
	mu sync.Mutex
	l  *level
}

func (d *dam) Lint(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.l.Get()
	//lint:ignore reacquire nobody else sets it
	d.l.Set(old + n)
}

func (d *dam) LintSameLine(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.l.Get()
	d.l.Set(old + n) //lint:ignore reacquire nobody else sets it
}

func (d *dam) LintList(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.l.Get()
	//lint:ignore SA4006,reacquire nobody else sets it
	d.l.Set(old + n)
}

func (d *dam) Nolint(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.l.Get()
	d.l.Set(old + n) //nolint:reacquire // nobody else sets it
}

func (d *dam) NolintBefore(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.l.Get()
	//nolint:errcheck,reacquire // nobody else sets it
	d.l.Set(old + n)
}

// The report is at the second passage.
func (d *dam) AtTheFirst(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.l.Get() //lint:ignore reacquire nobody else sets it
	n *= 2
	d.l.Set(old + n) // want `reacquire: d\.l\.mu is taken again here, after line 70, in one critical section of d\.mu; what the first passage reads of d\.l\.n may be changed in between by \(\*level\)\.Set`
}

func (d *dam) LintNoReason(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.l.Get()
	//lint:ignore reacquire
	d.l.Set(old + n) // want `reacquire: d\.l\.mu is taken again here, after line 78, in one critical section of d\.mu; what the first passage reads of d\.l\.n may be changed in between by \(\*level\)\.Set`
}

func (d *dam) NolintNoReason(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.l.Get()
	//nolint:reacquire
	d.l.Set(old + n) // want `reacquire: d\.l\.mu is taken again here, after line 86, in one critical section of d\.mu; what the first passage reads of d\.l\.n may be changed in between by \(\*level\)\.Set`
}

func (d *dam) NolintEmptyReason(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.l.Get()
	//nolint:reacquire //
	d.l.Set(old + n) // want `reacquire: d\.l\.mu is taken again here, after line 94, in one critical section of d\.mu; what the first passage reads of d\.l\.n may be changed in between by \(\*level\)\.Set`
}

func (d *dam) OtherAnalyzer(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	old := d.l.Get()
	//lint:ignore stalevalue this is about another analyzer
	d.l.Set(old + n) // want `reacquire: d\.l\.mu is taken again here, after line 102, in one critical section of d\.mu; what the first passage reads of d\.l\.n may be changed in between by \(\*level\)\.Set`
}

// Watch gives others a level, who may call Set, too.
func Watch() *level { return new(level) }
