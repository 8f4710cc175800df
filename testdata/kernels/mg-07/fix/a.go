package a

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
)

var ErrTxInCache = errors.New("tx already exists in cache")

type Tx []byte
type TxKey [sha256.Size]byte

func (tx Tx) Key() TxKey { return sha256.Sum256(tx) }

const (
	CodeOK uint32 = iota
	CodeInvalid
	CodeMempoolFull
)

type ResponseCheckTx struct {
	Code      uint32
	GasWanted int64
}

// AppConnMempool is the connection to the application. Callbacks come from its
// receive loop; Flush returns after all outstanding ones have run.
type AppConnMempool interface {
	CheckTxAsync(tx Tx, cb func(res ResponseCheckTx))
	Flush()
}

// txCache remembers the transactions seen lately.
type txCache struct {
	mu   sync.Mutex
	seen map[TxKey]struct{}
}

func (c *txCache) Push(k TxKey) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.seen[k]; ok {
		return false
	}
	c.seen[k] = struct{}{}
	return true
}

func (c *txCache) Remove(k TxKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.seen, k)
}

type Config struct {
	Size        int
	MaxTxsBytes int64
}

// Mempool holds valid transactions until a block takes them.
type Mempool struct {
	cfg   Config
	proxy AppConnMempool
	cache txCache

	// updateMtx: CheckTx holds it for reading, Update for writing.
	updateMtx sync.RWMutex

	txsMtx   sync.Mutex
	txs      []Tx
	txsBytes int64
}

func NewMempool(cfg Config, proxy AppConnMempool) *Mempool {
	return &Mempool{cfg: cfg, proxy: proxy, cache: txCache{seen: make(map[TxKey]struct{})}}
}

// Size tells the number of transactions and their total bytes.
func (mem *Mempool) Size() (int, int64) {
	mem.txsMtx.Lock()
	defer mem.txsMtx.Unlock()
	return len(mem.txs), mem.txsBytes
}

// isFull tells whether a transaction of the given size is over the limits.
func (mem *Mempool) isFull(txSize int) error {
	mem.txsMtx.Lock()
	defer mem.txsMtx.Unlock()
	return mem.isFullLocked(txSize)
}

func (mem *Mempool) isFullLocked(txSize int) error {
	n, size := len(mem.txs), mem.txsBytes
	if n >= mem.cfg.Size || size+int64(txSize) > mem.cfg.MaxTxsBytes {
		return fmt.Errorf("mempool is full: %d txs, %d bytes", n, size)
	}
	return nil
}

// addTx appends a transaction the application has accepted.
func (mem *Mempool) addTx(tx Tx) error {
	mem.txsMtx.Lock()
	defer mem.txsMtx.Unlock()
	if err := mem.isFullLocked(len(tx)); err != nil {
		return err
	}
	mem.txs = append(mem.txs, tx)
	mem.txsBytes += int64(len(tx))
	return nil
}

// CheckTx has the application validate a transaction and takes it in when it
// is valid. The limits of the configuration are never exceeded. cb gets the
// outcome.
func (mem *Mempool) CheckTx(tx Tx, cb func(ResponseCheckTx)) error {
	mem.updateMtx.RLock()
	defer mem.updateMtx.RUnlock()

	if err := mem.isFull(len(tx)); err != nil {
		return err
	}
	key := tx.Key()
	if !mem.cache.Push(key) {
		return ErrTxInCache
	}
	mem.proxy.CheckTxAsync(tx, func(res ResponseCheckTx) {
		if res.Code == CodeOK {
			if err := mem.addTx(tx); err != nil {
				res.Code = CodeMempoolFull
			}
		}
		if res.Code != CodeOK {
			mem.cache.Remove(key)
		}
		if cb != nil {
			cb(res)
		}
	})
	return nil
}

// ReapMaxBytes returns transactions for the next block.
func (mem *Mempool) ReapMaxBytes(max int64) []Tx {
	mem.txsMtx.Lock()
	defer mem.txsMtx.Unlock()
	var out []Tx
	for _, tx := range mem.txs {
		if max -= int64(len(tx)); max < 0 {
			break
		}
		out = append(out, tx)
	}
	return out
}

// Update drops the transactions of a committed block.
func (mem *Mempool) Update(committed []Tx) {
	mem.updateMtx.Lock()
	defer mem.updateMtx.Unlock()
	mem.proxy.Flush()
	gone := make(map[TxKey]bool, len(committed))
	for _, tx := range committed {
		gone[tx.Key()] = true
		mem.cache.Push(tx.Key())
	}
	mem.txsMtx.Lock()
	defer mem.txsMtx.Unlock()
	var keep []Tx
	mem.txsBytes = 0
	for _, tx := range mem.txs {
		if !gone[tx.Key()] {
			keep = append(keep, tx)
			mem.txsBytes += int64(len(tx))
		}
	}
	mem.txs = keep
}
