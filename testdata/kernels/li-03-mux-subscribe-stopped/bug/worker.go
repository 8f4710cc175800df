package event

import "sync/atomic"

// ChainHeadEvent is posted when a new head block was imported.
type ChainHeadEvent struct{ Number uint64 }

// TxPreEvent is posted when a transaction enters the transaction pool.
type TxPreEvent struct{ Hash [32]byte }

// worker follows the events of the chain for the miner.
type worker struct {
	mux  *TypeMux
	quit chan struct{}

	head    uint64
	pending uint64
}

func newWorker(mux *TypeMux) *worker {
	w := &worker{mux: mux, quit: make(chan struct{})}
	go w.update()
	return w
}

func (w *worker) update() {
	eventSub := w.mux.Subscribe(ChainHeadEvent{}, TxPreEvent{})
	defer eventSub.Unsubscribe()

	eventCh := eventSub.Chan()
	for {
		select {
		case event, ok := <-eventCh:
			if !ok {
				// Event subscription closed, set the channel to nil to stop spinning
				eventCh = nil
				continue
			}
			switch ev := event.Data.(type) {
			case ChainHeadEvent:
				atomic.StoreUint64(&w.head, ev.Number)
			case TxPreEvent:
				atomic.AddUint64(&w.pending, 1)
			}
		case <-w.quit:
			return
		}
	}
}

// Node owns the event mux and the services that listen to it.
type Node struct {
	mux    *TypeMux
	worker *worker
}

// NewNode starts the services of the node.
func NewNode() *Node {
	mux := new(TypeMux)
	return &Node{mux: mux, worker: newWorker(mux)}
}

// Import tells the services about a new head.
func (n *Node) Import(number uint64) error {
	return n.mux.Post(ChainHeadEvent{number})
}

// Stop terminates the node.
func (n *Node) Stop() {
	n.mux.Stop()
	close(n.worker.quit)
}
