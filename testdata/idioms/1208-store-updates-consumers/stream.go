package server

import "sync"

type StorageUpdateHandler func(msgs, bytes int64, seq uint64, subj string)

type memStore struct {
	mu    sync.RWMutex
	msgs  map[uint64]string
	last  uint64
	bytes int64
	scb   StorageUpdateHandler
}

// RegisterStorageUpdates registers a callback for updates to storage changes.
func (ms *memStore) RegisterStorageUpdates(cb StorageUpdateHandler) {
	ms.mu.Lock()
	ms.scb = cb
	ms.mu.Unlock()
}

func (ms *memStore) StoreMsg(subj string) uint64 {
	ms.mu.Lock()
	ms.last++
	seq, cb := ms.last, ms.scb
	ms.msgs[seq] = subj
	ms.bytes += int64(len(subj))
	ms.mu.Unlock()
	if cb != nil {
		cb(1, int64(len(subj)), seq, subj)
	}
	return seq
}

// RemoveMsg will remove the message from this store.
func (ms *memStore) RemoveMsg(seq uint64) bool {
	ms.mu.Lock()
	subj, ok := ms.msgs[seq]
	if !ok {
		ms.mu.Unlock()
		return false
	}
	delete(ms.msgs, seq)
	ms.bytes -= int64(len(subj))
	cb := ms.scb
	ms.mu.Unlock()
	if cb != nil {
		cb(-1, -int64(len(subj)), seq, subj)
	}
	return true
}

// jsAccount represents a jetstream account.
type jsAccount struct {
	usageMu sync.Mutex
	used    int64
}

func (jsa *jsAccount) updateUsage(delta int64) {
	jsa.usageMu.Lock()
	jsa.used += delta
	jsa.usageMu.Unlock()
}

// consumer is a jetstream consumer.
type consumer struct {
	mu      sync.RWMutex
	mset    *stream
	name    string
	closed  bool
	pending map[uint64]struct{} // delivered, not acked
	rdc     map[uint64]uint64
}

// deliver is called by the delivery loop of the consumer.
func (o *consumer) deliver(seq uint64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return false
	}
	o.pending[seq] = struct{}{}
	o.rdc[seq]++
	return true
}

// redeliver gives the sequences that are still to be acked.
func (o *consumer) redeliver() []uint64 {
	o.mu.RLock()
	defer o.mu.RUnlock()
	seqs := make([]uint64, 0, len(o.pending))
	for seq := range o.pending {
		seqs = append(seqs, seq)
	}
	return seqs
}

// decStreamPending is called when a message has been removed from the stream.
func (o *consumer) decStreamPending(sseq uint64, subj string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	// If it was pending process it like an ack.
	if _, wasPending := o.pending[sseq]; wasPending {
		delete(o.pending, sseq)
		delete(o.rdc, sseq)
	}
}

// stop removes the consumer from its stream.
func (o *consumer) stop() {
	mset := o.mset
	mset.mu.Lock()
	defer mset.mu.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	o.closed = true
	o.pending, o.rdc = nil, nil
	delete(mset.consumers, o.name)
}

// stream is a jetstream stream of messages.
type stream struct {
	mu        sync.RWMutex
	jsa       *jsAccount
	store     *memStore
	consumers map[string]*consumer
}

func newStream(jsa *jsAccount) *stream {
	mset := &stream{
		jsa:       jsa,
		store:     &memStore{msgs: make(map[uint64]string)},
		consumers: make(map[string]*consumer),
	}
	mset.store.RegisterStorageUpdates(mset.storeUpdates)
	return mset
}

// addConsumer adds a consumer that starts with messages yet to come.
func (mset *stream) addConsumer(name string) *consumer {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	if o := mset.consumers[name]; o != nil {
		return o
	}
	o := &consumer{mset: mset, name: name, pending: make(map[uint64]struct{}), rdc: make(map[uint64]uint64)}
	mset.consumers[name] = o
	return o
}

// Process inbound message of a publisher: store it, then deliver it.
func (mset *stream) processJetStreamMsg(subj string) uint64 {
	mset.mu.Lock()
	defer mset.mu.Unlock()
	seq := mset.store.StoreMsg(subj)
	for _, o := range mset.consumers {
		o.deliver(seq)
	}
	return seq
}

// removeMsg removes a message by request; the expiry does the same.
func (mset *stream) removeMsg(seq uint64) bool {
	mset.mu.RLock()
	store := mset.store
	mset.mu.RUnlock()
	return store.RemoveMsg(seq)
}

func (mset *stream) storeUpdates(md, bd int64, seq uint64, subj string) {
	// If we have a single negative update then we will process our consumers for stream pending.
	if md == -1 && seq > 0 {
		// We need to pull these out here and release the lock, even and RLock. RLocks are allowed to
		// be reentrant, however once anyone signals interest in a write lock any subsequent RLocks
		// will block. decStreamPending can try to re-acquire the RLock for this stream.
		var _cl [8]*consumer
		cl := _cl[:0]

		mset.mu.RLock()
		for _, o := range mset.consumers {
			cl = append(cl, o)
		}
		mset.mu.RUnlock()

		for _, o := range cl {
			o.decStreamPending(seq, subj)
		}
	}
	mset.jsa.updateUsage(bd)
}
