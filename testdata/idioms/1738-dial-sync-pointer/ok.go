package a

import (
	"context"
	"errors"
	"sync"
)

var errDialCanceled = errors.New("dial was given up by all callers")

type peerID string

// conn is an established connection, shared by those who have dialed it. It
// belongs to the swarm, which also closes it when nobody uses it.
type conn struct {
	peer peerID
}

// activeDial is a dial under way, shared by all who want the same peer.
type activeDial struct {
	refCnt int // guarded by dialSync.mu
	ctx    context.Context
	cancel context.CancelFunc
	done   chan struct{}
	conn   *conn // both set before done is closed
	err    error
}

// dialSync has at most one dial per peer that anyone waits for. The context of
// dialFunc is for the dial only, not for the connection.
type dialSync struct {
	dialFunc func(context.Context, peerID) (*conn, error)

	mu    sync.Mutex
	dials map[peerID]*activeDial
}

func newDialSync(f func(context.Context, peerID) (*conn, error)) *dialSync {
	return &dialSync{dialFunc: f, dials: make(map[peerID]*activeDial)}
}

// getActiveDial joins the dial to a peer, or starts one.
func (ds *dialSync) getActiveDial(p peerID) *activeDial {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ad, ok := ds.dials[p]
	if !ok {
		ad = &activeDial{done: make(chan struct{})}
		ad.ctx, ad.cancel = context.WithCancel(context.Background())
		ds.dials[p] = ad
		go ds.run(ad, p)
	}
	ad.refCnt++
	return ad
}

func (ds *dialSync) run(ad *activeDial, p peerID) {
	c, err := ds.dialFunc(ad.ctx, p)
	if err != nil && ad.ctx.Err() != nil {
		err = errDialCanceled
	}
	ad.conn, ad.err = c, err
	close(ad.done)
	ds.forget(p, ad)
}

// forget takes a dial out of the map; a later one to the same peer stays.
func (ds *dialSync) forget(p peerID, ad *activeDial) {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.forgetLocked(p, ad)
}

func (ds *dialSync) forgetLocked(p peerID, ad *activeDial) {
	if ds.dials[p] == ad {
		delete(ds.dials, p)
	}
}

// release ends the interest of one caller. The last one takes the dial out of
// the map in the same step, so that nobody joins what is being cancelled.
func (ds *dialSync) release(p peerID, ad *activeDial) {
	ds.mu.Lock()
	ad.refCnt--
	last := ad.refCnt == 0
	if last {
		ds.forgetLocked(p, ad)
	}
	ds.mu.Unlock()
	if last {
		ad.cancel()
	}
}

// Dial connects to a peer. The caller may go before the dial is done.
func (ds *dialSync) Dial(ctx context.Context, p peerID) (*conn, error) {
	ad := ds.getActiveDial(p)
	defer ds.release(p, ad)
	select {
	case <-ad.done:
		return ad.conn, ad.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Pending lists the peers that are being dialed.
func (ds *dialSync) Pending() []peerID {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	out := make([]peerID, 0, len(ds.dials))
	for p := range ds.dials {
		out = append(out, p)
	}
	return out
}
