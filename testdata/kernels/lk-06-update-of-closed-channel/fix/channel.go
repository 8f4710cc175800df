package xdsclient

import (
	"context"
	"sync"
)

// callbackSerializer runs the scheduled callbacks one by one, in the order in
// which they were scheduled.
type callbackSerializer struct {
	mu      sync.Mutex
	cond    *sync.Cond
	closed  bool
	backlog []func(context.Context)
}

func newCallbackSerializer(ctx context.Context) *callbackSerializer {
	cs := &callbackSerializer{}
	cs.cond = sync.NewCond(&cs.mu)
	go cs.run(ctx)
	context.AfterFunc(ctx, func() {
		cs.mu.Lock()
		cs.closed = true
		cs.mu.Unlock()
		cs.cond.Signal()
	})
	return cs
}

// TrySchedule adds the callback. It returns false if the serializer is closed;
// callbacks that were added before are all run.
func (cs *callbackSerializer) TrySchedule(f func(context.Context)) bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	if cs.closed {
		return false
	}
	cs.backlog = append(cs.backlog, f)
	cs.cond.Signal()
	return true
}

func (cs *callbackSerializer) run(ctx context.Context) {
	for {
		cs.mu.Lock()
		for len(cs.backlog) == 0 && !cs.closed {
			cs.cond.Wait()
		}
		if len(cs.backlog) == 0 {
			cs.mu.Unlock()
			return
		}
		f := cs.backlog[0]
		cs.backlog = cs.backlog[1:]
		cs.mu.Unlock()
		f(ctx)
	}
}

type adsStream interface {
	Request(name string, on bool)
	Recv() (map[string]string, error)
	Close()
}

// xdsChannel reads the responses of one management server.
type xdsChannel struct {
	serverConfig *ServerConfig
	stream       adsStream
	authority    *authority
	closed       chan struct{}
}

// newXDSChannel starts the channel; the returned function closes it.
func newXDSChannel(sc *ServerConfig, a *authority, stream adsStream) (*xdsChannel, func()) {
	xc := &xdsChannel{serverConfig: sc, stream: stream, authority: a, closed: make(chan struct{})}
	go xc.recv()
	return xc, func() {
		close(xc.closed)
		xc.stream.Close()
	}
}

func (xc *xdsChannel) subscribe(name string)   { xc.stream.Request(name, true) }
func (xc *xdsChannel) unsubscribe(name string) { xc.stream.Request(name, false) }

func (xc *xdsChannel) recv() {
	for {
		updates, err := xc.stream.Recv()
		if err != nil {
			select {
			case <-xc.closed:
			default:
				xc.authority.adsStreamFailure(xc.serverConfig, err)
			}
			return
		}
		xc.authority.adsResourceUpdate(xc.serverConfig, updates)
	}
}
