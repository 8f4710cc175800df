package fix

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"sync"

	"github.com/atomvet/atomvet/testdata/kernels/geth-07-mipmap-rmw/fix/kv"
)

const (
	bloomSize = 256
	binPrefix = "log-bin-"
)

// binSizes are the block ranges for which a summary bloom is kept.
var binSizes = []uint64{1000000, 100000, 10000, 1000}

// binMu serializes updates of the summary blooms.
var binMu sync.Mutex

// Address is the account that emitted a log.
type Address [20]byte

// Log is one event, Receipt the events of one transaction.
type (
	Log     struct{ Addr Address }
	Receipt struct{ Logs []Log }
)

// Block is an imported block with its receipts.
type Block struct {
	Number   uint64
	Receipts []Receipt
}

// Bloom is a bit set that may contain an address.
type Bloom [bloomSize]byte

func bitOf(a Address) (int, byte) {
	h := fnv.New32a()
	h.Write(a[:])
	n := h.Sum32() % (bloomSize * 8)
	return int(n / 8), 1 << (n % 8)
}

func (b *Bloom) add(a Address) {
	i, bit := bitOf(a)
	b[i] |= bit
}

// MayContain reports whether a could be in the set.
func (b *Bloom) MayContain(a Address) bool {
	i, bit := bitOf(a)
	return b[i]&bit != 0
}

func binKey(number, size uint64) []byte {
	key := binary.BigEndian.AppendUint64([]byte(binPrefix), size)
	return binary.BigEndian.AppendUint64(key, number/size*size)
}

// WriteBins adds the log addresses of one block to its summary blooms.
func WriteBins(db kv.Store, number uint64, receipts []Receipt) error {
	binMu.Lock()
	defer binMu.Unlock()

	batch := db.NewBatch()
	for _, size := range binSizes {
		key := binKey(number, size)
		var bloom Bloom
		enc, _ := db.Get(key)
		copy(bloom[:], enc)
		for _, r := range receipts {
			for _, l := range r.Logs {
				bloom.add(l.Addr)
			}
		}
		if err := batch.Put(key, bloom[:]); err != nil {
			return err
		}
	}
	if err := batch.Write(); err != nil {
		return fmt.Errorf("bins of block %d: %w", number, err)
	}
	return nil
}

// ReadBin returns the summary bloom of the range that contains number.
func ReadBin(db kv.Store, number, size uint64) (bloom Bloom) {
	enc, _ := db.Get(binKey(number, size))
	copy(bloom[:], enc)
	return bloom
}

// ImportBlocks indexes the logs of blocks with the given number of workers.
func ImportBlocks(db kv.Store, blocks []*Block, workers int) error {
	tasks := make(chan *Block)
	errs := make(chan error, len(blocks))
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for b := range tasks {
				errs <- WriteBins(db, b.Number, b.Receipts)
			}
		}()
	}
	for _, b := range blocks {
		tasks <- b
	}
	close(tasks)
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
