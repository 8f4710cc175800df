package plugin

import "sync"

type State uint8

const (
	Unknown State = iota
	Idle
	Running
	Failed
)

type entry struct {
	state State
	start func() error
}

var registry = struct {
	sync.Mutex
	m map[string]entry
}{m: map[string]entry{}}

func Register(name string, start func() error) bool {
	registry.Lock()
	defer registry.Unlock()
	if _, dup := registry.m[name]; dup {
		return false
	}
	registry.m[name] = entry{state: Idle, start: start}
	return true
}

func begin(name string) (was State, e entry) {
	registry.Lock()
	defer registry.Unlock()
	e = registry.m[name]
	was = e.state
	if was == Idle || was == Failed {
		e.state = Running
		registry.m[name] = e
	}
	return was, e
}

func StateOf(name string) State {
	registry.Lock()
	defer registry.Unlock()
	return registry.m[name].state
}

func setState(name string, to State) entry {
	registry.Lock()
	defer registry.Unlock()
	e := registry.m[name]
	e.state = to
	registry.m[name] = e
	return e
}
