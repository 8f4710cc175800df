// Package ordering wraps a KV client so that a session never sees an older
// revision of the store than one it has already seen.
package ordering

import (
	"context"
	"errors"
	"sync"
)

// ErrNoGreaterRev is returned when no endpoint can serve the wanted revision.
var ErrNoGreaterRev = errors.New("ordering: no cluster members have a revision higher than the previously received revision")

// ResponseHeader is the header every response of the store carries.
type ResponseHeader struct {
	MemberID uint64
	Revision int64
}

// Op is one request to the store.
type Op struct {
	Key  string
	Cmps []string
	Then []Op
	Else []Op
}

// OpResponse is the answer to an Op.
type OpResponse struct {
	Header ResponseHeader
	Kvs    map[string]string
}

// KV is the client that is wrapped.
type KV interface {
	Do(ctx context.Context, op Op) (OpResponse, error)
}

// OrderViolationFunc is called when a response is older than it may be.
// The request is sent again if it returns nil.
type OrderViolationFunc func(op Op, resp OpResponse, prevRev int64) error

// kvOrdering ensures that serialized requests do not return
// get with revisions less than the previous returned revision.
type kvOrdering struct {
	KV
	orderViolationFunc OrderViolationFunc
	prevRev            int64
	revMu              sync.RWMutex
}

func NewKV(kv KV, orderViolationFunc OrderViolationFunc) *kvOrdering {
	return &kvOrdering{KV: kv, orderViolationFunc: orderViolationFunc}
}

func (kv *kvOrdering) getPrevRev() int64 {
	kv.revMu.RLock()
	defer kv.revMu.RUnlock()
	return kv.prevRev
}

func (kv *kvOrdering) setPrevRev(currRev int64) {
	kv.revMu.Lock()
	defer kv.revMu.Unlock()
	if currRev > kv.prevRev {
		kv.prevRev = currRev
	}
}

func (kv *kvOrdering) Get(ctx context.Context, key string) (*OpResponse, error) {
	// prevRev is stored in a local variable in order to record the prevRev
	// at the beginning of the Get operation.
	prevRev := kv.getPrevRev()
	op := Op{Key: key}
	for {
		resp, err := kv.KV.Do(ctx, op)
		if err != nil {
			return nil, err
		}
		if resp.Header.Revision >= prevRev {
			kv.setPrevRev(resp.Header.Revision)
			return &resp, nil
		}
		if err := kv.orderViolationFunc(op, resp, prevRev); err != nil {
			return nil, err
		}
	}
}

// Txn opens a transaction whose response is ordered too.
func (kv *kvOrdering) Txn(ctx context.Context) *txnOrdering {
	return &txnOrdering{kvOrdering: kv, ctx: ctx}
}

// txnOrdering ensures that serialized requests do not return
// txn responses with revisions less than the previous
// returned revision.
type txnOrdering struct {
	*kvOrdering
	ctx     context.Context
	mu      sync.Mutex
	cmps    []string
	thenOps []Op
	elseOps []Op
}

func (txn *txnOrdering) If(cs ...string) *txnOrdering {
	txn.mu.Lock()
	defer txn.mu.Unlock()
	txn.cmps = cs
	return txn
}

func (txn *txnOrdering) Then(ops ...Op) *txnOrdering {
	txn.mu.Lock()
	defer txn.mu.Unlock()
	txn.thenOps = ops
	return txn
}

func (txn *txnOrdering) Else(ops ...Op) *txnOrdering {
	txn.mu.Lock()
	defer txn.mu.Unlock()
	txn.elseOps = ops
	return txn
}

func (txn *txnOrdering) Commit() (*OpResponse, error) {
	prevRev := txn.getPrevRev()
	txn.mu.Lock()
	op := Op{Cmps: txn.cmps, Then: txn.thenOps, Else: txn.elseOps}
	txn.mu.Unlock()
	for {
		resp, err := txn.KV.Do(txn.ctx, op)
		if err != nil {
			return nil, err
		}
		if resp.Header.Revision >= prevRev {
			txn.setPrevRev(resp.Header.Revision)
			return &resp, nil
		}
		if err := txn.orderViolationFunc(op, resp, prevRev); err != nil {
			return nil, err
		}
	}
}

// NewOrderViolationSwitchEndpointClosure returns a function that moves the
// client to the next endpoint, and gives up once all have been tried.
func NewOrderViolationSwitchEndpointClosure(endpoints []string, dial func(ep string) error) OrderViolationFunc {
	var mu sync.Mutex
	violationCount := 0
	return func(_ Op, _ OpResponse, _ int64) error {
		mu.Lock()
		defer mu.Unlock()
		if violationCount >= 5*len(endpoints) {
			return ErrNoGreaterRev
		}
		ep := endpoints[violationCount%len(endpoints)]
		violationCount++
		return dial(ep)
	}
}

// Prefetch reads the keys side by side and reports the first failure.
func Prefetch(ctx context.Context, kv *kvOrdering, keys []string) error {
	errc := make(chan error, len(keys))
	for _, k := range keys {
		go func() {
			_, err := kv.Get(ctx, k)
			errc <- err
		}()
	}
	var first error
	for range keys {
		if err := <-errc; err != nil && first == nil {
			first = err
		}
	}
	return first
}
