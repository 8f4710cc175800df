// Package defaults sets a default for a property as TVSchedulerPro does, from the
// paper about context and witness locks (Fig. 11).
//
// Server.Start holds the server, looks whether the property is set, and sets it to
// its default if it is not. The properties are only locked within each call: a
// value that the user sets in between with Properties.Set is overwritten by the
// default.
package defaults

import "sync"

// pause is where a test lets the other goroutine run.
var pause = func() {}

type Properties struct {
	mu     sync.Mutex
	values map[string]string
}

func (p *Properties) Get(name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.values[name]
}

func (p *Properties) Set(name, value string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.values[name] = value
}

type Server struct {
	mu      sync.Mutex
	started bool
	props   *Properties
}

func (s *Server) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.props.Get("port") == "" {
		pause()
		s.props.Set("port", "8080")
	}
	s.started = true
}

func Run() {
	p := &Properties{values: map[string]string{}}
	s := &Server{props: p}
	var wg sync.WaitGroup
	wg.Go(s.Start)
	wg.Go(func() { p.Set("port", "9000") })
	wg.Wait()
	p.Get("port")
}
