package mechanisms

import "sync"

// An engine stays stopped once it is.
type engine struct {
	mu    sync.Mutex
	state string
	users int
}

func (e *engine) with(f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	f()
}

func (e *engine) get() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

func (e *engine) load(into *string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	*into = e.state
}

func (e *engine) set(state string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state = state
}

func (e *engine) Stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.state = "stopped"
}

// Run overwrites the very state that it has ruled out.
func (e *engine) Run() {
	if e.get() != "stopped" {
		e.set("running") // want `check-then-act: e\.state was checked at line \d+`
	}
}

// RunWith keeps what it has read in a variable that a literal writes.
func (e *engine) RunWith() {
	var state string
	e.with(func() { state = e.state })
	if state != "stopped" {
		e.with(func() { e.state = "running" }) // want `check-then-act: e\.state was checked at line \d+`
	}
}

// RunLoaded has it written by a callee.
func (e *engine) RunLoaded() {
	var state string
	e.load(&state)
	if state != "stopped" {
		e.with(func() { e.state = "running" }) // want `check-then-act: e\.state was checked at line \d+`
	}
}

// RunKept keeps it in a struct that is copied.
func (e *engine) RunKept() {
	seen := struct {
		name, state string
	}{"engine", e.get()}
	if seen.state != "stopped" {
		e.with(func() { e.state = "running" }) // want `check-then-act: e\.state was checked at line \d+`
	}
}

// StopIdle sets what is also set by others.
func (e *engine) StopIdle() {
	if e.get() != "stopped" {
		e.set("stopped")
	}
}

// A lamp has no other state than those that are set here.
type lamp struct {
	mu    sync.Mutex
	color string
}

func (l *lamp) get() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.color
}

// Green sets what it has not found; nobody sets what it has ruled out.
func (l *lamp) Green() {
	if l.get() != "broken" {
		l.mu.Lock()
		l.color = "green"
		l.mu.Unlock()
	}
}
