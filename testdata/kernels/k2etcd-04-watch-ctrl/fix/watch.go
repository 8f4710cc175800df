// Package v3rpc serves watches.
package v3rpc

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

// ErrGRPCNoLeader is returned when the server lost its leader.
var ErrGRPCNoLeader = errors.New("etcdserver: no leader")

// WatchRequest creates or cancels a watcher.
type WatchRequest struct {
	CreateRequest *WatchCreateRequest
	CancelRequest *WatchCancelRequest
}

type WatchCreateRequest struct {
	Key, RangeEnd  []byte
	StartRevision  int64
	ProgressNotify bool
}

type WatchCancelRequest struct{ WatchID int64 }

// WatchResponse is sent to the client.
type WatchResponse struct {
	Revision, WatchID int64
	Created, Canceled bool
	Events            []string
}

// Stream is the stream of a client. Recv may block after the context is done.
type Stream interface {
	Context() context.Context
	Send(*WatchResponse) error
	Recv() (*WatchRequest, error)
}

// Watchable makes streams of events.
type Watchable interface{ NewWatchStream() WatchStream }

// WatchStream is a set of watchers. Close closes its Chan; after that Watch
// returns -1.
type WatchStream interface {
	Watch(key, end []byte, startRev int64) (id int64)
	Chan() <-chan WatchResponse
	RequestProgress(id int64)
	Cancel(id int64) error
	Close()
	Rev() int64
}

// WatchServer serves the streams.
type WatchServer struct {
	watchable Watchable
	interval  time.Duration
}

// NewWatchServer returns a server that reports progress every interval.
func NewWatchServer(w Watchable, interval time.Duration) *WatchServer {
	return &WatchServer{watchable: w, interval: interval}
}

const (
	// We send ctrl response inside the read loop. We do not want
	// send to block read, but we still want ctrl response we sent to
	// be serialized. Thus we use a buffered chan to solve the problem.
	// A small buffer should be OK for most cases, since we expect the
	// ctrl requests are infrequent.
	ctrlStreamBufLen = 16
)

// serverWatchStream is an etcd server side stream. It receives requests
// from client side gRPC stream. It receives watch events from WatchStream,
// and creates responses that forwarded to gRPC stream.
// It also forwards control message like watch created and canceled.
type serverWatchStream struct {
	gRPCStream  Stream
	watchStream WatchStream
	ctrlStream  chan *WatchResponse
	interval    time.Duration

	// progress tracks the watchID that stream might need to send
	// progress to.
	progress map[int64]bool
	// mu protects progress
	mu sync.Mutex

	// closec indicates the stream is closed.
	closec chan struct{}

	// wg waits for the send loop to complete
	wg sync.WaitGroup
}

// Watch serves one stream.
func (ws *WatchServer) Watch(stream Stream) (err error) {
	sws := serverWatchStream{
		gRPCStream:  stream,
		watchStream: ws.watchable.NewWatchStream(),
		// chan for sending control response like watcher created and canceled.
		ctrlStream: make(chan *WatchResponse, ctrlStreamBufLen),
		interval:   ws.interval,
		progress:   make(map[int64]bool),
		closec:     make(chan struct{}),
	}

	sws.wg.Add(1)
	go func() {
		sws.sendLoop()
		sws.wg.Done()
	}()

	errc := make(chan error, 1)
	// Ideally recvLoop would also use sws.wg to signal its completion
	// but when stream.Context().Done() is closed, the stream's recv
	// may continue to block since it uses a different context, leading to
	// deadlock when calling sws.close().
	go func() { errc <- sws.recvLoop() }()

	select {
	case err = <-errc:
	case <-stream.Context().Done():
		err = stream.Context().Err()
		// the only server-side cancellation is noleader for now.
		if err == context.Canceled {
			err = ErrGRPCNoLeader
		}
	}
	sws.close()
	return err
}

func (sws *serverWatchStream) recvLoop() error {
	defer close(sws.ctrlStream)
	for {
		req, err := sws.gRPCStream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}

		switch {
		case req.CreateRequest != nil:
			creq := req.CreateRequest
			if len(creq.Key) == 0 {
				// \x00 is the smallest key
				creq.Key = []byte{0}
			}
			wsrev := sws.watchStream.Rev()
			rev := creq.StartRevision
			if rev == 0 {
				rev = wsrev + 1
			}
			id := sws.watchStream.Watch(creq.Key, creq.RangeEnd, rev)
			if id != -1 && creq.ProgressNotify {
				sws.mu.Lock()
				sws.progress[id] = true
				sws.mu.Unlock()
			}
			wr := &WatchResponse{
				Revision: wsrev,
				WatchID:  id,
				Created:  true,
				Canceled: id == -1,
			}
			select {
			case sws.ctrlStream <- wr:
			case <-sws.closec:
				return nil
			}
		case req.CancelRequest != nil:
			id := req.CancelRequest.WatchID
			if err := sws.watchStream.Cancel(id); err == nil {
				wr := &WatchResponse{
					Revision: sws.watchStream.Rev(),
					WatchID:  id,
					Canceled: true,
				}
				select {
				case sws.ctrlStream <- wr:
				case <-sws.closec:
					return nil
				}
				sws.mu.Lock()
				delete(sws.progress, id)
				sws.mu.Unlock()
			}
			// TODO: do we need to return error back to client?
		default:
			panic("not implemented")
		}
	}
}

func (sws *serverWatchStream) sendLoop() {
	// watch ids that are currently active
	ids := make(map[int64]struct{})
	// watch responses pending on a watch id creation message
	pending := make(map[int64][]*WatchResponse)

	progressTicker := time.NewTicker(sws.interval)
	defer progressTicker.Stop()

	for {
		select {
		case wresp, ok := <-sws.watchStream.Chan():
			if !ok {
				return
			}
			wr := &wresp
			if _, hasID := ids[wr.WatchID]; !hasID {
				// buffer if id not yet announced
				pending[wr.WatchID] = append(pending[wr.WatchID], wr)
				continue
			}
			if err := sws.gRPCStream.Send(wr); err != nil {
				return
			}

			sws.mu.Lock()
			if _, ok := sws.progress[wr.WatchID]; ok {
				sws.progress[wr.WatchID] = false
			}
			sws.mu.Unlock()

		case c, ok := <-sws.ctrlStream:
			if !ok {
				return
			}
			if err := sws.gRPCStream.Send(c); err != nil {
				return
			}

			// track id creation
			if c.Canceled {
				delete(ids, c.WatchID)
				continue
			}
			if c.Created {
				// flush buffered events
				ids[c.WatchID] = struct{}{}
				for _, v := range pending[c.WatchID] {
					if err := sws.gRPCStream.Send(v); err != nil {
						return
					}
				}
				delete(pending, c.WatchID)
			}
		case <-progressTicker.C:
			sws.mu.Lock()
			for id, ok := range sws.progress {
				if ok {
					sws.watchStream.RequestProgress(id)
				}
				sws.progress[id] = true
			}
			sws.mu.Unlock()
		case <-sws.closec:
			// drain the chan to clean up pending events
			for range sws.watchStream.Chan() {
			}
			return
		}
	}
}

func (sws *serverWatchStream) close() {
	sws.watchStream.Close()
	close(sws.closec)
	sws.wg.Wait()
}
