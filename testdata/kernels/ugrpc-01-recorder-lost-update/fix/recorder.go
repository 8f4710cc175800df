// Package fix collects the utilization that a server reports to balancers.
package fix

import (
	"maps"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Metrics is one report. Unset values are -1.
type Metrics struct {
	CPU   float64
	Mem   float64
	QPS   float64
	Named map[string]float64
}

func copyMetrics(m *Metrics) *Metrics {
	return &Metrics{CPU: m.CPU, Mem: m.Mem, QPS: m.QPS, Named: maps.Clone(m.Named)}
}

// Recorder holds the current metrics of one server.
type Recorder struct {
	mu    sync.Mutex              // held by writers
	state atomic.Pointer[Metrics] // never modified in place
}

// NewRecorder returns a recorder without values.
func NewRecorder() *Recorder {
	r := &Recorder{}
	r.state.Store(&Metrics{CPU: -1, Mem: -1, QPS: -1, Named: make(map[string]float64)})
	return r
}

// Metrics returns the current report, which must not be modified.
func (r *Recorder) Metrics() *Metrics { return r.state.Load() }

// SetCPU records the use of the processors.
func (r *Recorder) SetCPU(v float64) {
	if v < 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	m := copyMetrics(r.state.Load())
	m.CPU = v
	r.state.Store(m)
}

// SetMem records the use of the memory.
func (r *Recorder) SetMem(v float64) {
	if v < 0 || v > 1 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	m := copyMetrics(r.state.Load())
	m.Mem = v
	r.state.Store(m)
}

// SetQPS records the rate of requests.
func (r *Recorder) SetQPS(v float64) {
	if v < 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	m := copyMetrics(r.state.Load())
	m.QPS = v
	r.state.Store(m)
}

// SetNamed records a value of the application.
func (r *Recorder) SetNamed(name string, v float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := copyMetrics(r.state.Load())
	m.Named[name] = v
	r.state.Store(m)
}

// DeleteNamed removes a value of the application.
func (r *Recorder) DeleteNamed(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := copyMetrics(r.state.Load())
	delete(m.Named, name)
	r.state.Store(m)
}

// Server measures itself while it serves.
type Server struct {
	rec   *Recorder
	inner http.Handler
	count atomic.Int64
	wg    sync.WaitGroup
	stop  chan struct{}
}

// Serve wraps inner and starts the samplers.
func Serve(inner http.Handler, cpu, mem func() float64) *Server {
	s := &Server{rec: NewRecorder(), inner: inner, stop: make(chan struct{})}
	s.every(time.Second, func() { s.rec.SetCPU(cpu()) })
	s.every(5*time.Second, func() { s.rec.SetMem(mem()) })
	s.every(time.Second, func() { s.rec.SetQPS(float64(s.count.Swap(0))) })
	return s
}

func (s *Server) every(d time.Duration, f func()) {
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		t := time.NewTicker(d)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				f()
			case <-s.stop:
				return
			}
		}
	}()
}

// ServeHTTP counts the request and records how long the last one took.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	s.count.Add(1)
	start := time.Now()
	s.inner.ServeHTTP(w, req)
	s.rec.SetNamed("last_seconds", time.Since(start).Seconds())
}

// Report returns the metrics for the balancer.
func (s *Server) Report() *Metrics { return s.rec.Metrics() }

// Close stops the samplers.
func (s *Server) Close() {
	close(s.stop)
	s.wg.Wait()
}
