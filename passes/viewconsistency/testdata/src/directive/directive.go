// Package directive silences reports, or tries to.
package directive

import "sync"

type pair struct {
	mu   sync.Mutex
	a, b int
}

func (p *pair) Set(a, b int) {
	p.mu.Lock()
	p.a, p.b = a, b
	p.mu.Unlock()
}

func (p *pair) A() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.a
}

func (p *pair) B() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b
}

func Lint(p *pair) int {
	//lint:ignore viewconsistency it is an estimate
	return p.A() + p.B()
}

func LintSameLine(p *pair) int {
	return p.A() + p.B() //lint:ignore viewconsistency it is an estimate
}

func LintList(p *pair) int {
	//lint:ignore SA4006,viewconsistency it is an estimate
	return p.A() + p.B()
}

func Nolint(p *pair) int {
	return p.A() + p.B() //nolint:viewconsistency // it is an estimate
}

func NolintBefore(p *pair) int {
	//nolint:errcheck,viewconsistency // it is an estimate
	return p.A() + p.B()
}

// The report is at the second access.
func AtTheSecond(p *pair) int {
	a := p.A()
	b := p.B() //nolint:viewconsistency // it is an estimate
	return a + b
}

func AtTheFirst(p *pair) int {
	a := p.A() //lint:ignore stalevalue it is an estimate
	b := p.B() // want `split-read: p\.a at line 60 and p\.b here are read apart, in separate critical sections`
	return a + b
}

func LintNoReason(p *pair) int {
	//lint:ignore viewconsistency
	return p.A() + p.B() // want `split-read: p\.a at line 67 and p\.b here are read apart, in separate critical sections`
}

func NolintNoReason(p *pair) int {
	//nolint:viewconsistency
	return p.A() + p.B() // want `split-read: p\.a at line 72 and p\.b here are read apart, in separate critical sections`
}

func NolintEmptyReason(p *pair) int {
	//nolint:viewconsistency //
	return p.A() + p.B() // want `split-read: p\.a at line 77 and p\.b here are read apart, in separate critical sections`
}

func OtherAnalyzer(p *pair) int {
	//lint:ignore stalevalue this is about another analyzer
	return p.A() + p.B() // want `split-read: p\.a at line 82 and p\.b here are read apart, in separate critical sections`
}

func Write(p *pair) {
	p.mu.Lock()
	p.a = 0
	p.mu.Unlock()
	p.mu.Lock()
	p.b = 0 //nolint:viewconsistency // nobody looks at both
	p.mu.Unlock()
}
