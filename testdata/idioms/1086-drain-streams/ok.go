// Correct: Shutdown goes through the streams without the lock. It has taken the
// whole map out in the critical section that sets closed, and open looks at
// closed under the same lock, so no stream can come after; finish of a stream
// only meets a nil map (delete is a no-op there), and end is done once per
// stream whoever comes first. The wait group goes up under the lock while not
// closed, so never after Shutdown has begun to wait.
package drainstreams

import (
	"context"
	"errors"
	"sync"
)

var ErrClosed = errors.New("server is shut down")

type stream struct {
	id     uint64
	peer   string
	once   sync.Once
	cancel context.CancelFunc
	reason string // written by end, read after ended is closed
	ended  chan struct{}
}

func (s *stream) end(reason string) {
	s.once.Do(func() {
		s.reason = reason
		close(s.ended)
		s.cancel()
	})
}

// Server pushes configuration to the clients that are connected.
type Server struct {
	mu      sync.Mutex
	closed  bool
	next    uint64
	streams map[uint64]*stream
	wg      sync.WaitGroup
}

func NewServer() *Server {
	return &Server{streams: make(map[uint64]*stream)}
}

func (s *Server) open(ctx context.Context, peer string) (context.Context, *stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	st := &stream{peer: peer, cancel: cancel, ended: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		cancel()
		return nil, nil, ErrClosed
	}
	s.next++
	st.id = s.next
	s.streams[st.id] = st
	s.wg.Add(1)
	return ctx, st, nil
}

func (s *Server) finish(st *stream) {
	s.mu.Lock()
	delete(s.streams, st.id)
	s.mu.Unlock()
	st.end("done")
	s.wg.Done()
}

// Serve runs one stream and returns why it ended.
func (s *Server) Serve(ctx context.Context, peer string, push func(context.Context) error) (string, error) {
	ctx, st, err := s.open(ctx, peer)
	if err != nil {
		return "", err
	}
	defer s.finish(st)
	err = push(ctx)
	select {
	case <-st.ended:
		return st.reason, err
	default:
		return "done", err
	}
}

// Kick ends the streams of a peer.
func (s *Server) Kick(peer string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, st := range s.streams {
		if st.peer == peer {
			st.end("kicked")
			n++
		}
	}
	return n
}

// Shutdown ends all streams and waits for them.
func (s *Server) Shutdown() {
	s.mu.Lock()
	s.closed = true
	rest := s.streams
	s.streams = nil
	s.mu.Unlock()

	for _, st := range rest {
		st.end("shutdown")
	}
	s.wg.Wait()
}
