package etcdserver

import (
	"context"
	"errors"
	"sync"
	"time"
)

var (
	errStopped = errors.New("etcdserver: server stopped")
	errTimeout = errors.New("etcdserver: request timed out")
)

type notifier struct {
	c   chan struct{}
	err error
}

func newNotifier() *notifier {
	return &notifier{c: make(chan struct{})}
}

func (nc *notifier) notify(err error) {
	nc.err = err
	close(nc.c)
}

// raftNode asks the quorum for the commit index.
type raftNode interface {
	ReadIndex(ctx context.Context) (uint64, error)
}

// EtcdServer is the part of the server that serves linearizable reads.
type EtcdServer struct {
	r raftNode

	readMu sync.RWMutex
	// read routine notifies etcd server that it waits for reading by sending an empty struct to
	// readwaitC
	readwaitc chan struct{}
	// readNotifier is used to notify the read routine that it can process the request
	// when there is no error
	readNotifier *notifier

	applyMu    sync.Mutex
	applyCond  *sync.Cond
	appliedIdx uint64
	stopped    bool

	kvMu sync.RWMutex
	kv   map[string]string

	stopping chan struct{}
	done     chan struct{}
}

// NewServer starts the read loop.
func NewServer(r raftNode) *EtcdServer {
	s := &EtcdServer{
		r:            r,
		readwaitc:    make(chan struct{}, 1),
		readNotifier: newNotifier(),
		kv:           make(map[string]string),
		stopping:     make(chan struct{}),
		done:         make(chan struct{}),
	}
	s.applyCond = sync.NewCond(&s.applyMu)
	go s.linearizableReadLoop()
	return s
}

// Range serves a linearizable read.
func (s *EtcdServer) Range(ctx context.Context, key string) (string, error) {
	if err := s.linearizableReadNotify(ctx); err != nil {
		return "", err
	}
	s.kvMu.RLock()
	defer s.kvMu.RUnlock()
	return s.kv[key], nil
}

// Apply is called by the apply loop with the entries in order.
func (s *EtcdServer) Apply(index uint64, key, value string) {
	s.kvMu.Lock()
	s.kv[key] = value
	s.kvMu.Unlock()
	s.applyMu.Lock()
	s.appliedIdx = index
	s.applyMu.Unlock()
	s.applyCond.Broadcast()
}

func (s *EtcdServer) waitApplied(index uint64) error {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	for s.appliedIdx < index {
		if s.stopped {
			return errStopped
		}
		s.applyCond.Wait()
	}
	return nil
}

func (s *EtcdServer) linearizableReadLoop() {
	defer close(s.done)
	for {
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

		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		confirmedIndex, err := s.r.ReadIndex(ctx)
		cancel()
		if err != nil {
			nr.notify(errTimeout)
			continue
		}
		// unblock all l-reads requested at indices before confirmedIndex
		nr.notify(s.waitApplied(confirmedIndex))
	}
}

func (s *EtcdServer) linearizableReadNotify(ctx context.Context) error {
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
		return errStopped
	}
}

// Stop ends the read loop.
func (s *EtcdServer) Stop() {
	close(s.stopping)
	s.applyMu.Lock()
	s.stopped = true
	s.applyMu.Unlock()
	s.applyCond.Broadcast()
	<-s.done
}
