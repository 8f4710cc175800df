package grpc

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
)

// ErrServerStopped indicates that the operation is now illegal because of
// the server being stopped.
var ErrServerStopped = errors.New("grpc: the server has been stopped")

// event represents a one-time event that may occur in the future.
type event struct {
	fired atomic.Bool
	c     chan struct{}
	o     sync.Once
}

func newEvent() *event { return &event{c: make(chan struct{})} }

// Fire causes e to complete. It is safe to call multiple times, and
// concurrently.
func (e *event) Fire() {
	e.o.Do(func() {
		e.fired.Store(true)
		close(e.c)
	})
}

// Done returns a channel that will be closed when Fire is called.
func (e *event) Done() <-chan struct{} { return e.c }

// HasFired returns true if Fire has been called.
func (e *event) HasFired() bool { return e.fired.Load() }

// Stream is one RPC on a transport.
type Stream struct {
	ctx    context.Context
	method string
}

// ServerTransport is the common interface for all gRPC server-side transport
// implementations.
type ServerTransport interface {
	// HandleStreams receives incoming streams using the given handler. It
	// returns when the transport is closed.
	HandleStreams(ctx context.Context, handle func(*Stream))
	// Close tears down the transport.
	Close(err error)
	// Drain notifies the client this ServerTransport stops accepting new RPCs.
	Drain(debugData string)
}

type serverOptions struct {
	numServerWorkers uint32
	newTransport     func(net.Conn) ServerTransport
	handler          func(ServerTransport, *Stream)
}

// Server is a gRPC server to serve RPC requests.
type Server struct {
	opts serverOptions

	mu    sync.Mutex // guards following
	lis   map[net.Listener]bool
	conns map[ServerTransport]bool
	drain bool
	cv    *sync.Cond // signaled when connections close for GracefulStop

	quit    *event
	done    *event
	serveWG sync.WaitGroup // counts active Serve goroutines for Stop/GracefulStop

	serverWorkerChannel chan func()
}

// serverWorkerResetThreshold defines how often the stack must be reset.
const serverWorkerResetThreshold = 1 << 16

// serverWorkers blocks on a *transport.Stream channel forever and waits for
// data to be fed by serveStreams. This allows multiple requests to be
// processed by the same goroutine, removing the need for expensive stack
// re-allocations.
func (s *Server) serverWorker() {
	for completed := 0; completed < serverWorkerResetThreshold; completed++ {
		f, ok := <-s.serverWorkerChannel
		if !ok {
			return
		}
		f()
	}
	go s.serverWorker()
}

// initServerWorkers creates worker goroutines and a channel to process incoming
// connections to reduce the time spent overall on runtime.morestack.
func (s *Server) initServerWorkers() {
	s.serverWorkerChannel = make(chan func())
	for i := uint32(0); i < s.opts.numServerWorkers; i++ {
		go s.serverWorker()
	}
}

func (s *Server) stopServerWorkers() {
	close(s.serverWorkerChannel)
}

// NewServer creates a gRPC server which has no service registered and has not
// started to accept requests yet.
func NewServer(opts serverOptions) *Server {
	s := &Server{
		lis:   make(map[net.Listener]bool),
		opts:  opts,
		conns: make(map[ServerTransport]bool),
		quit:  newEvent(),
		done:  newEvent(),
	}
	s.cv = sync.NewCond(&s.mu)
	if s.opts.numServerWorkers > 0 {
		s.initServerWorkers()
	}
	return s
}

// Serve accepts incoming connections on the listener lis, creating a new
// ServerTransport and service goroutine for each.
func (s *Server) Serve(lis net.Listener) error {
	s.mu.Lock()
	if s.lis == nil {
		// Serve called after Stop or GracefulStop.
		s.mu.Unlock()
		lis.Close()
		return ErrServerStopped
	}

	s.serveWG.Add(1)
	defer func() {
		s.serveWG.Done()
		if s.quit.HasFired() {
			// Stop or GracefulStop called; block until done and return nil.
			<-s.done.Done()
		}
	}()
	s.lis[lis] = true
	s.mu.Unlock()

	for {
		rawConn, err := lis.Accept()
		if err != nil {
			if s.quit.HasFired() {
				return nil
			}
			return err
		}
		// Make sure we account for the goroutine so GracefulStop doesn't nil out
		// s.conns before this conn can be added.
		s.serveWG.Add(1)
		go func() {
			s.handleRawConn(rawConn)
			s.serveWG.Done()
		}()
	}
}

// handleRawConn forks a goroutine to handle a just-accepted connection that
// has not had any I/O performed on it yet.
func (s *Server) handleRawConn(rawConn net.Conn) {
	if s.quit.HasFired() {
		rawConn.Close()
		return
	}
	st := s.opts.newTransport(rawConn)
	if !s.addConn(st) {
		return
	}
	go func() {
		s.serveStreams(context.Background(), st)
		s.removeConn(st)
	}()
}

func (s *Server) serveStreams(ctx context.Context, st ServerTransport) {
	defer st.Close(errors.New("finished serving streams for the server transport"))
	st.HandleStreams(ctx, func(stream *Stream) {
		f := func() { s.opts.handler(st, stream) }
		if s.opts.numServerWorkers > 0 {
			select {
			case s.serverWorkerChannel <- f:
				return
			default:
				// If all stream workers are busy, fallback to the default code path.
			}
		}
		go f()
	})
}

func (s *Server) addConn(st ServerTransport) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conns == nil {
		st.Close(errors.New("Server.addConn called when server has already been stopped"))
		return false
	}
	if s.drain {
		// Transport added after we drained our existing conns: drain it
		// immediately.
		st.Drain("")
	}
	s.conns[st] = true
	return true
}

func (s *Server) removeConn(st ServerTransport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, st)
	s.cv.Broadcast()
}

// Stop stops the gRPC server. It immediately closes all open connections and
// listeners.
func (s *Server) Stop() {
	s.stop(false)
}

// GracefulStop stops the gRPC server gracefully. It stops the server from
// accepting new connections and RPCs and blocks until all the pending RPCs are
// finished.
func (s *Server) GracefulStop() {
	s.stop(true)
}

func (s *Server) stop(graceful bool) {
	s.quit.Fire()
	defer s.done.Fire()

	s.mu.Lock()
	for lis := range s.lis {
		lis.Close()
	}
	s.lis = nil
	// Wait for serving threads to be ready to exit.  Only then can we be sure no
	// new conns will be created.
	s.mu.Unlock()
	s.serveWG.Wait()

	s.mu.Lock()
	defer s.mu.Unlock()

	if graceful {
		s.drainAllServerTransportsLocked()
	} else {
		s.closeServerTransportsLocked()
	}

	if s.opts.numServerWorkers > 0 {
		s.stopServerWorkers()
	}

	for len(s.conns) != 0 {
		s.cv.Wait()
	}
	s.conns = nil
}

// s.mu must be held by the caller.
func (s *Server) closeServerTransportsLocked() {
	for st := range s.conns {
		st.Close(errors.New("Server.Stop called"))
	}
}

// s.mu must be held by the caller.
func (s *Server) drainAllServerTransportsLocked() {
	if !s.drain {
		for st := range s.conns {
			st.Drain("graceful_stop")
		}
		s.drain = true
	}
}
