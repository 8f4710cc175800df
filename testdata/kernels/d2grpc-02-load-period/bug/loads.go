// Package bug receives load reports and hands them to watchers.
package bug

import (
	"context"
	"sync"
	"time"
)

// Report is one load report.
type Report struct {
	CPU float64
	Mem float64
}

// Watcher receives reports.
type Watcher interface {
	OnReport(*Report)
}

// Call is a running call for reports.
type Call interface {
	Next() (*Report, error)
}

// Server is asked for reports at a period; zero means that the server chooses.
type Server interface {
	Reports(ctx context.Context, period time.Duration) (Call, error)
}

// Subchannel shares one feed between all users of a connection.
type Subchannel struct {
	mu   sync.Mutex
	srv  Server
	feed *feed
	refs int
	stop func()
}

// NewSubchannel returns a subchannel without a feed.
func NewSubchannel(srv Server) *Subchannel { return &Subchannel{srv: srv} }

func (s *Subchannel) getOrBuild() (*feed, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.feed == nil {
		s.feed, s.stop = build(s.srv)
	}
	s.refs++
	return s.feed, s.put
}

func (s *Subchannel) put() {
	s.mu.Lock()
	s.refs--
	if s.refs > 0 {
		s.mu.Unlock()
		return
	}
	stop := s.stop
	s.feed, s.stop = nil, nil
	s.mu.Unlock()
	stop()
}

type feed struct {
	srv    Server
	pause  func(int) time.Duration
	closed chan struct{} // closed when run ends

	mu       sync.Mutex
	periods  map[time.Duration]int
	watchers map[Watcher]struct{}
}

// build returns a feed and a function that ends it.
func build(srv Server) (*feed, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	f := &feed{
		srv:      srv,
		pause:    func(n int) time.Duration { return min(time.Second<<min(n, 6), time.Minute) },
		closed:   make(chan struct{}),
		periods:  make(map[time.Duration]int),
		watchers: make(map[Watcher]struct{}),
	}
	go f.run(ctx)
	return f, func() {
		cancel()
		<-f.closed
	}
}

// Watch registers a watcher; the returned function ends the registration.
func Watch(s *Subchannel, w Watcher, period time.Duration) func() {
	f, put := s.getOrBuild()
	f.attach(w, period)
	return sync.OnceFunc(func() {
		f.detach(w, period)
		put()
	})
}

func (f *feed) attach(w Watcher, period time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watchers[w] = struct{}{}
	f.periods[period]++
}

func (f *feed) detach(w Watcher, period time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.watchers, w)
	f.periods[period]--
	if f.periods[period] == 0 {
		delete(f.periods, period)
	}
}

func (f *feed) shortest() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	var least time.Duration
	first := true
	for p := range f.periods {
		if p < least || first {
			least = p
			first = false
		}
	}
	return least
}

func (f *feed) run(ctx context.Context) {
	defer close(f.closed)
	try := 0
	timer := time.NewTimer(0)
	for ctx.Err() == nil {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		if f.runCall(ctx) {
			timer.Reset(0)
			try = 0
		} else {
			timer.Reset(f.pause(try))
			try++
		}
	}
}

// runCall makes one call and reports whether it was of use.
func (f *feed) runCall(ctx context.Context) (useful bool) {
	period := f.shortest()
	callCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	call, err := f.srv.Reports(callCtx, period)
	if err != nil {
		return false
	}
	for {
		r, err := call.Next()
		if err != nil {
			return useful
		}
		useful = true
		f.mu.Lock()
		for w := range f.watchers {
			w.OnReport(r)
		}
		f.mu.Unlock()
		if period != f.shortest() {
			// start again with the new period
			return true
		}
	}
}
