// Package defaults_ok sets a default for a property as TVSchedulerPro does, from
// the paper about context and witness locks (Fig. 11), repaired.
//
// Server.Start calls Properties.Default, which looks and sets in one critical
// section.
package defaults_ok

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

// Default sets the property unless it is set already.
func (p *Properties) Default(name, value string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.values[name] == "" {
		pause()
		p.values[name] = value
	}
}

type Server struct {
	mu      sync.Mutex
	started bool
	props   *Properties
}

func (s *Server) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.props.Default("port", "8080")
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
