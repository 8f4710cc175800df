// Package ok serves streams with a limited number of handlers.
package ok

import (
	"sync"
	"sync/atomic"
)

// atomicSemaphore implements a blocking, counting semaphore. acquire should be
// called synchronously; release may be called asynchronously.
type atomicSemaphore struct {
	n    atomic.Int64
	wait chan struct{}
}

func newHandlerQuota(n uint32) *atomicSemaphore {
	a := &atomicSemaphore{wait: make(chan struct{}, 1)}
	a.n.Store(int64(n))
	return a
}

func (q *atomicSemaphore) acquire() {
	if q.n.Add(-1) < 0 {
		// We ran out of quota.  Block until a release happens.
		<-q.wait
	}
}

func (q *atomicSemaphore) release() {
	// N.B. the "<= 0" check below should allow for this to work with multiple
	// concurrent calls to acquire, but also note that with synchronous calls to
	// acquire, as our system does, n will never be less than -1.
	if q.n.Add(1) <= 0 {
		// An acquire was waiting on us.  Unblock it.
		q.wait <- struct{}{}
	}
}

// Stream is an RPC.
type Stream struct{ ID uint32 }

// Transport is a connection.
type Transport interface {
	// HandleStreams calls handle for each new stream, one after the other. It
	// returns when the connection is closed.
	HandleStreams(handle func(*Stream))
	Close()
}

// Server serves connections.
type Server struct {
	maxConcurrentStreams uint32
	workers              chan func()
	handler              func(*Stream)
}

// NewServer starts a server with some worker goroutines.
func NewServer(maxConcurrentStreams, workers uint32, handler func(*Stream)) *Server {
	s := &Server{
		maxConcurrentStreams: maxConcurrentStreams,
		workers:              make(chan func()),
		handler:              handler,
	}
	for range workers {
		go func() {
			for f := range s.workers {
				f()
			}
		}()
	}
	return s
}

// ServeStreams serves a connection until it is closed and its handlers are done.
func (s *Server) ServeStreams(st Transport) {
	defer st.Close()
	var wg sync.WaitGroup

	streamQuota := newHandlerQuota(s.maxConcurrentStreams)
	st.HandleStreams(func(stream *Stream) {
		wg.Add(1)

		streamQuota.acquire()
		f := func() {
			defer streamQuota.release()
			defer wg.Done()
			s.handler(stream)
		}
		select {
		case s.workers <- f:
		default:
			// If all stream workers are busy, fallback to a new goroutine.
			go f()
		}
	})
	wg.Wait()
}
