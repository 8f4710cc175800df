package lr07

import (
	"errors"
	"sync"
)

type hash [32]byte

type transaction struct {
	h    hash
	data []byte
}

func (t *transaction) Hash() hash { return t.h }

var (
	errAlreadyKnown = errors.New("already known")
	errUnderpriced  = errors.New("transaction underpriced")
)

type txPool struct {
	mu  sync.RWMutex
	all map[hash]*transaction
}

func (p *txPool) Add(txs []*transaction) []error {
	p.mu.Lock()
	defer p.mu.Unlock()
	errs := make([]error, len(txs))
	for i, tx := range txs {
		switch {
		case p.all[tx.Hash()] != nil:
			errs[i] = errAlreadyKnown
		case len(tx.data) == 0:
			errs[i] = errUnderpriced
		default:
			p.all[tx.Hash()] = tx
		}
	}
	return errs
}

func (p *txPool) Has(h hash) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.all[h] != nil
}

// tracker records which peer delivered each transaction.
type tracker struct {
	mu    sync.Mutex
	txs   map[hash]string
	peers map[string]int
}

func (t *tracker) NotifyAccepted(peer string, hashes []hash) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, h := range hashes {
		if _, ok := t.txs[h]; ok {
			continue // already tracked, keep the first deliverer
		}
		t.txs[h] = peer
	}
}

func (t *tracker) handleBlock(hashes []hash) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, h := range hashes {
		if p := t.txs[h]; p != "" {
			t.peers[p]++
			delete(t.txs, h)
		}
	}
}

type txFetcher struct {
	addTxs     func([]*transaction) []error
	onAccepted func(peer string, hashes []hash)

	mu          sync.Mutex
	underpriced map[hash]struct{}
	duplicates  int
}

func (f *txFetcher) Enqueue(peer string, txs []*transaction) error {
	for i := 0; i < len(txs); i += 128 {
		batch := txs[i:min(i+128, len(txs))]
		var accepted []hash
		for j, err := range f.addTxs(batch) {
			switch {
			case err == nil:
				accepted = append(accepted, batch[j].Hash())
			case errors.Is(err, errAlreadyKnown):
				f.mu.Lock()
				f.duplicates++
				f.mu.Unlock()
			case errors.Is(err, errUnderpriced):
				f.mu.Lock()
				f.underpriced[batch[j].Hash()] = struct{}{}
				f.mu.Unlock()
			}
		}
		if len(accepted) > 0 {
			f.onAccepted(peer, accepted)
		}
	}
	return nil
}

type handler struct {
	pool    *txPool
	fetcher *txFetcher
	tracker *tracker
}

func newHandler() *handler {
	h := &handler{
		pool:    &txPool{all: make(map[hash]*transaction)},
		tracker: &tracker{txs: make(map[hash]string), peers: make(map[string]int)},
	}
	h.fetcher = &txFetcher{addTxs: h.pool.Add, onAccepted: h.tracker.NotifyAccepted, underpriced: make(map[hash]struct{})}
	return h
}

// Handle is called from the read loop of every peer.
func (h *handler) Handle(peer string, txs []*transaction) error {
	return h.fetcher.Enqueue(peer, txs)
}
