package clientv3

import (
	"context"
	"sync"
)

type Event struct {
	Key         string
	Value       string
	ModRevision int64
}

type WatchChan <-chan WatchResponse

type WatchResponse struct {
	WatchID         int64
	Revision        int64
	Events          []Event
	CompactRevision int64
	Created         bool
	Canceled        bool
}

// WatchStream is the bidirectional stream to the server.
type WatchStream interface {
	SendCreate(key string, rev int64) error
	SendCancel(id int64) error
	Recv() (*WatchResponse, error)
}

// watcher implements the Watcher interface
type watcher struct {
	open func(ctx context.Context) (WatchStream, error)

	// ctx controls internal remote.Watch requests
	ctx    context.Context
	cancel context.CancelFunc

	// streams holds all active watchers
	streams map[int64]*watcherStream
	// mu protects the streams map
	mu sync.RWMutex

	// reqc sends a watch request from Watch() to the main goroutine
	reqc chan *watchRequest
	// respc receives data from the watch client
	respc chan *WatchResponse
	// stopc is sent to the main goroutine to stop all processing
	stopc chan struct{}
	// donec closes to broadcast shutdown
	donec chan struct{}
	// errc transmits errors from grpc Recv
	errc chan error
}

// watchRequest is issued by the subscriber to start a new watcher
type watchRequest struct {
	ctx context.Context
	key string
	rev int64
	// retc receives a chan WatchResponse once the watcher is established
	retc chan chan WatchResponse
}

// watcherStream represents a registered watcher
type watcherStream struct {
	initReq watchRequest

	// outc publishes watch responses to subscriber
	outc chan<- WatchResponse
	// recvc buffers watch responses before publishing
	recvc chan *WatchResponse
	id    int64
}

func NewWatcher(open func(ctx context.Context) (WatchStream, error)) *watcher {
	ctx, cancel := context.WithCancel(context.Background())
	w := &watcher{
		open:    open,
		ctx:     ctx,
		cancel:  cancel,
		streams: make(map[int64]*watcherStream),

		respc: make(chan *WatchResponse),
		reqc:  make(chan *watchRequest),
		stopc: make(chan struct{}),
		donec: make(chan struct{}),
		errc:  make(chan error, 1),
	}
	go w.run()
	return w
}

// Watch posts a watch request to run() and waits for a new watcher channel
func (w *watcher) Watch(ctx context.Context, key string, rev int64) WatchChan {
	retc := make(chan chan WatchResponse, 1)
	wr := &watchRequest{
		ctx:  ctx,
		key:  key,
		rev:  rev,
		retc: retc,
	}

	ok := false

	// submit request
	select {
	case w.reqc <- wr:
		ok = true
	case <-wr.ctx.Done():
	case <-w.donec:
	}

	// receive channel
	if ok {
		select {
		case ret, rok := <-retc:
			if rok {
				return WatchChan(ret)
			}
		case <-ctx.Done():
		case <-w.donec:
		}
	}

	// couldn't create channel; return closed channel
	ch := make(chan WatchResponse)
	close(ch)
	return ch
}

func (w *watcher) Close() error {
	select {
	case w.stopc <- struct{}{}:
	case <-w.donec:
	}
	<-w.donec
	return nil
}

func (w *watcher) addStream(resp *WatchResponse, pendingReq *watchRequest) {
	if pendingReq == nil {
		// no pending request; ignore
		return
	}
	if resp.Canceled || resp.CompactRevision != 0 {
		// a cancel at id creation time means the start revision has
		// been compacted out of the store
		ret := make(chan WatchResponse, 1)
		ret <- WatchResponse{
			Revision:        resp.Revision,
			CompactRevision: resp.CompactRevision,
			Canceled:        true}
		close(ret)
		pendingReq.retc <- ret
		return
	}

	ret := make(chan WatchResponse)
	if resp.WatchID == -1 {
		// failed; no channel
		close(ret)
		pendingReq.retc <- ret
		return
	}

	ws := &watcherStream{
		initReq: *pendingReq,
		id:      resp.WatchID,
		outc:    ret,
		// buffered so unlikely to block on sending while holding mu
		recvc: make(chan *WatchResponse, 4),
	}

	if pendingReq.rev == 0 {
		// note the header revision so that a put following a current watcher
		// disconnect will arrive on the watcher channel after reconnect
		ws.initReq.rev = resp.Revision
	}

	w.mu.Lock()
	w.streams[ws.id] = ws
	w.mu.Unlock()

	// send messages to subscriber
	go w.serveStream(ws)

	// pass back the subscriber channel for the watcher
	pendingReq.retc <- ret
}

// closeStream closes the watcher resources and removes it
func (w *watcher) closeStream(ws *watcherStream) {
	// cancels request stream; subscriber receives nil channel
	close(ws.initReq.retc)
	// close subscriber's channel
	close(ws.outc)
	// shutdown serveStream
	close(ws.recvc)
	delete(w.streams, ws.id)
}

// run is the root of the goroutines for managing a watcher client
func (w *watcher) run() {
	defer func() {
		close(w.donec)
		w.cancel()
	}()

	// start a stream with the etcd grpc server
	wc, wcerr := w.open(w.ctx)
	if wcerr != nil {
		return
	}
	go w.serveWatchClient(wc)

	var pendingReq *watchRequest
	curReqC := w.reqc
	cancelSet := make(map[int64]struct{})

	for {
		select {
		// Watch() requested
		case pendingReq = <-curReqC:
			// no more watch requests until there's a response
			curReqC = nil
			if err := wc.SendCreate(pendingReq.key, pendingReq.rev); err != nil {
				return
			}
		// New events from the watch client
		case resp := <-w.respc:
			switch {
			case resp.Created:
				// response to pending req, try to add
				w.addStream(resp, pendingReq)
				pendingReq = nil
				curReqC = w.reqc
			case resp.Canceled:
				delete(cancelSet, resp.WatchID)
			default:
				// dispatch to appropriate watch stream
				if ok := w.dispatchEvent(resp); ok {
					break
				}
				// watch response on unexpected watch id; cancel id
				if _, ok := cancelSet[resp.WatchID]; ok {
					break
				}
				cancelSet[resp.WatchID] = struct{}{}
				wc.SendCancel(resp.WatchID)
			}
		case <-w.errc:
			return
		case <-w.stopc:
			return
		}
	}
}

// dispatchEvent sends a WatchResponse to the appropriate watcher stream
func (w *watcher) dispatchEvent(resp *WatchResponse) bool {
	w.mu.RLock()
	defer w.mu.RUnlock()
	ws, ok := w.streams[resp.WatchID]
	if ok {
		ws.recvc <- resp
	}
	return ok
}

// serveWatchClient forwards messages from the grpc stream to run()
func (w *watcher) serveWatchClient(wc WatchStream) {
	for {
		resp, err := wc.Recv()
		if err != nil {
			select {
			case w.errc <- err:
			case <-w.donec:
			}
			return
		}
		select {
		case w.respc <- resp:
		case <-w.donec:
			return
		}
	}
}

// serveStream forwards watch responses from run() to the subscriber
func (w *watcher) serveStream(ws *watcherStream) {
	emptyWr := &WatchResponse{}
	wrs := []*WatchResponse{}
	closing := false
	for !closing {
		curWr := emptyWr
		outc := ws.outc
		if len(wrs) > 0 {
			curWr = wrs[0]
		} else {
			outc = nil
		}
		select {
		case outc <- *curWr:
			if wrs[0].CompactRevision != 0 {
				closing = true
				break
			}
			wrs[0] = nil
			wrs = wrs[1:]
		case wr, ok := <-ws.recvc:
			if !ok {
				// shutdown from closeStream
				return
			}
			// TODO don't keep buffering if subscriber stops reading
			wrs = append(wrs, wr)
		case <-w.donec:
			closing = true
		case <-ws.initReq.ctx.Done():
			closing = true
		}
	}
	w.mu.Lock()
	w.closeStream(ws)
	w.mu.Unlock()
	// lazily send cancel message if events on missing id
}
