// Package fix receives load reports and hands them to watchers.
package fix

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
	srv   Server
	pause func(int) time.Duration

	mu       sync.Mutex
	periods  map[time.Duration]int
	watchers map[Watcher]struct{}
	shortest time.Duration
	cancel   func()        // stops the current run
	closed   chan struct{} // closed when the current run ends
}

// build returns a feed and a function that ends it.
func build(srv Server) (*feed, func()) {
	f := &feed{
		srv:      srv,
		pause:    func(n int) time.Duration { return min(time.Second<<min(n, 6), time.Minute) },
		periods:  make(map[time.Duration]int),
		watchers: make(map[Watcher]struct{}),
	}
	return f, func() {
		f.mu.Lock()
		closed := f.closed
		f.mu.Unlock()
		<-closed
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
	if len(f.watchers) == 1 || period < f.shortest {
		f.shortest = period
		f.restartLocked()
	}
}

func (f *feed) detach(w Watcher, period time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.watchers, w)
	f.periods[period]--
	if f.periods[period] == 0 {
		delete(f.periods, period)
		if f.shortest == period {
			f.shortest = f.shortestLocked()
			f.restartLocked()
		}
	}
}

func (f *feed) shortestLocked() time.Duration {
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

func (f *feed) restartLocked() {
	if f.cancel != nil {
		f.cancel()
		f.cancel = nil
	}
	if len(f.watchers) > 0 {
		var ctx context.Context
		ctx, f.cancel = context.WithCancel(context.Background())
		f.closed = make(chan struct{})
		go f.run(ctx, f.closed, f.shortest)
	}
}

func (f *feed) run(ctx context.Context, closed chan struct{}, period time.Duration) {
	defer close(closed)
	try := 0
	timer := time.NewTimer(0)
	for ctx.Err() == nil {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		if f.runCall(ctx, period) {
			timer.Reset(0)
			try = 0
		} else {
			timer.Reset(f.pause(try))
			try++
		}
	}
}

// runCall makes one call and reports whether it was of use.
func (f *feed) runCall(ctx context.Context, period time.Duration) (useful bool) {
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
	}
}
