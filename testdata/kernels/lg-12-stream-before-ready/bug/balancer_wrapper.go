package grpc

import (
	"context"
	"errors"
	"sync"
)

var errConnDrain = errors.New("grpc: the connection is drained")

// callbackSerializer runs callbacks one after the other, on its own goroutine.
type callbackSerializer struct {
	mu      sync.Mutex
	cond    *sync.Cond
	pending []func()
	closed  bool
}

func newCallbackSerializer() *callbackSerializer {
	cs := &callbackSerializer{}
	cs.cond = sync.NewCond(&cs.mu)
	go cs.run()
	return cs
}

// TrySchedule tries to schedule the provided callback function f to be executed
// in the order it was added.
func (cs *callbackSerializer) TrySchedule(f func()) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.closed {
		return
	}
	cs.pending = append(cs.pending, f)
	cs.cond.Signal()
}

// Close lets the callbacks that are pending run and ends the serializer.
func (cs *callbackSerializer) Close() {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.closed = true
	cs.cond.Signal()
}

func (cs *callbackSerializer) run() {
	for {
		cs.mu.Lock()
		for len(cs.pending) == 0 && !cs.closed {
			cs.cond.Wait()
		}
		if len(cs.pending) == 0 {
			cs.mu.Unlock()
			return
		}
		f := cs.pending[0]
		cs.pending = cs.pending[1:]
		cs.mu.Unlock()
		f()
	}
}

// SubConnState describes the state of a SubConn.
type SubConnState struct {
	ConnectivityState State
	ConnectionError   error
}

// Producer is something that sends its own streams on a SubConn, for instance
// one that collects load reports.
type Producer interface {
	Stop()
}

// ProducerBuilder is a simple constructor for a Producer.
type ProducerBuilder interface {
	Build(acbw *acBalancerWrapper) Producer
}

// acBalancerWrapper is a wrapper on top of ac for balancers.
// It implements balancer.SubConn interface.
type acBalancerWrapper struct {
	ac            *addrConn           // read-only
	serializer    *callbackSerializer // read-only
	stateListener func(SubConnState)

	mu        sync.Mutex
	producers map[ProducerBuilder]Producer
}

func newSubConn(cs *callbackSerializer, ac *addrConn, listener func(SubConnState)) *acBalancerWrapper {
	acbw := &acBalancerWrapper{
		ac:            ac,
		serializer:    cs,
		stateListener: listener,
		producers:     make(map[ProducerBuilder]Producer),
	}
	ac.acbw = acbw
	return acbw
}

// updateState is invoked by grpc to push a subConn state update to the
// underlying balancer.
func (acbw *acBalancerWrapper) updateState(s State, err error) {
	acbw.serializer.TrySchedule(func() {
		acbw.stateListener(SubConnState{ConnectivityState: s, ConnectionError: err})
		acbw.ac.mu.Lock()
		defer acbw.ac.mu.Unlock()
		if s == Ready {
			// When changing states to READY, reset stateReadyChan.  Wait until
			// after we notify the LB policy's listener(s) in order to prevent
			// ac.getTransport() from unblocking before the LB policy starts
			// tracking the subchannel as READY.
			close(acbw.ac.stateReadyChan)
			acbw.ac.stateReadyChan = make(chan struct{})
		}
	})
}

func (acbw *acBalancerWrapper) Connect() {
	go acbw.ac.connect()
}

func (acbw *acBalancerWrapper) Shutdown() {
	acbw.ac.tearDown(errConnDrain)
}

// NewStream begins a streaming RPC on the addrConn.  If the addrConn is not
// ready, blocks until it is or ctx expires.  Returns an error when the context
// expires or the addrConn is shut down.  It is called by producers, which may
// tell their listeners in the LB policy what the stream delivers.
func (acbw *acBalancerWrapper) NewStream(ctx context.Context, method string) error {
	transport, err := acbw.ac.getTransport(ctx)
	if err != nil {
		return err
	}
	return transport.NewStream(ctx, method)
}

// GetOrBuildProducer returns the producer of the builder.
func (acbw *acBalancerWrapper) GetOrBuildProducer(pb ProducerBuilder) Producer {
	acbw.mu.Lock()
	defer acbw.mu.Unlock()
	p := acbw.producers[pb]
	if p == nil {
		// Not found; create a new one and add it to the producers map.
		p = pb.Build(acbw)
		acbw.producers[pb] = p
	}
	return p
}
