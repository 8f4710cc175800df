package etcdserver

import (
	"context"
	"errors"
	"sync"
	"time"
)

var errServerStopped = errors.New("etcdserver: server stopped")

type notifier struct {
	c   chan struct{}
	err error
}

func newNotifier() *notifier {
	return &notifier{
		c: make(chan struct{}),
	}
}

func (nc *notifier) notify(err error) {
	nc.err = err
	close(nc.c)
}

// Server serves linearizable reads.
type Server struct {
	readMu sync.RWMutex
	// read routine notifies etcd server that it waits for reading by sending an empty struct to
	// readwaitC
	readwaitc chan struct{}
	// readNotifier is used to notify the read routine that it can process the request
	// when there is no error
	readNotifier *notifier

	appliedMu sync.Mutex
	applied   uint64
	kv        map[string]string

	requestIndex func() (uint64, error)
	stopping     chan struct{}
	done         chan struct{}
}

// New starts a server.
func New(requestIndex func() (uint64, error)) *Server {
	s := &Server{
		readwaitc:    make(chan struct{}, 1),
		readNotifier: newNotifier(),
		kv:           make(map[string]string),
		requestIndex: requestIndex,
		stopping:     make(chan struct{}),
		done:         make(chan struct{}),
	}
	go s.linearizableReadLoop()
	return s
}

func (s *Server) linearizableReadLoop() {
	defer close(s.done)
	for {
		// as a single loop is can unlock multiple reads, it is not very useful
		// to propagate the trace from Txn or Range.
		select {
		case <-s.readwaitc:
		case <-s.stopping:
			return
		}

		nextnr := newNotifier()
		s.readMu.Lock()
		nr := s.readNotifier
		s.readNotifier = nextnr
		s.readMu.Unlock()

		confirmedIndex, err := s.requestIndex()
		if err != nil {
			nr.notify(err)
			continue
		}
		for s.appliedIndex() < confirmedIndex {
			select {
			case <-time.After(time.Millisecond):
			case <-s.stopping:
				return
			}
		}
		// unblock all l-reads requested at indices before confirmedIndex
		nr.notify(nil)
	}
}

func (s *Server) linearizableReadNotify(ctx context.Context) error {
	s.readMu.RLock()
	nc := s.readNotifier
	s.readMu.RUnlock()

	// signal linearizable loop for current notify if it hasn't been already
	select {
	case s.readwaitc <- struct{}{}:
	default:
	}

	// wait for read state notification
	select {
	case <-nc.c:
		return nc.err
	case <-ctx.Done():
		return ctx.Err()
	case <-s.done:
		return errServerStopped
	}
}

// Range reads a key, after everything that was committed before the call.
func (s *Server) Range(ctx context.Context, key string) (string, error) {
	if err := s.linearizableReadNotify(ctx); err != nil {
		return "", err
	}
	s.appliedMu.Lock()
	defer s.appliedMu.Unlock()
	return s.kv[key], nil
}

// Apply is called by the apply loop.
func (s *Server) Apply(index uint64, key, val string) {
	s.appliedMu.Lock()
	defer s.appliedMu.Unlock()
	s.kv[key] = val
	s.applied = index
}

func (s *Server) appliedIndex() uint64 {
	s.appliedMu.Lock()
	defer s.appliedMu.Unlock()
	return s.applied
}

// Stop ends the loop.
func (s *Server) Stop() {
	close(s.stopping)
	<-s.done
}
