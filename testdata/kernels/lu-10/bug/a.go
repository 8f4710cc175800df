package a

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"
)

var errMissing = errors.New("missing item")

// billy is a directory with one file per item.
type billy struct{ dir string }

// openBilly opens the directory and calls onData for every item in it.
func openBilly(dir string, onData func(id string, data []byte)) (*billy, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if data, err := os.ReadFile(name); err == nil {
			onData(filepath.Base(name), data)
		}
	}
	return &billy{dir}, nil
}

func (b *billy) Get(id string) ([]byte, error) {
	return os.ReadFile(filepath.Join(b.dir, id))
}

func vhashOf(data []byte) string {
	if len(data) > 8 {
		data = data[:8]
	}
	return string(data)
}

type BlobPool struct {
	dir string

	lock   sync.RWMutex
	lookup map[string]string // blob hash -> item id
	store  *billy
}

func NewBlobPool(dir string) *BlobPool {
	return &BlobPool{dir: dir, lookup: make(map[string]string)}
}

// Init loads the transactions of the previous run.
func (p *BlobPool) Init() error {
	store, err := openBilly(p.dir, p.trackTransaction)
	if err != nil {
		return err
	}
	p.lock.Lock()
	p.store = store
	p.lock.Unlock()
	return nil
}

func (p *BlobPool) trackTransaction(id string, data []byte) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.lookup[vhashOf(data)] = id
}

func (p *BlobPool) getStore() *billy {
	p.lock.RLock()
	defer p.lock.RUnlock()
	return p.store
}

func (p *BlobPool) getByVhash(vhash string) ([]byte, error) {
	p.lock.RLock()
	id, exists := p.lookup[vhash]
	p.lock.RUnlock()
	if !exists {
		return nil, errMissing
	}
	return p.getStore().Get(id)
}

// Cache holds the blobs that are likely to be requested soon.
type Cache struct {
	pool   *BlobPool
	wanted chan []string

	mu      sync.Mutex
	entries map[string][]byte
}

func NewCache(p *BlobPool, want []string) *Cache {
	c := &Cache{pool: p, wanted: make(chan []string), entries: make(map[string][]byte)}
	go c.loop(want)
	return c
}

func (c *Cache) loop(want []string) {
	tick := time.NewTicker(time.Second)
	for {
		c.update(want)
		select {
		case want = <-c.wanted:
		case <-tick.C:
		}
	}
}

func (c *Cache) update(want []string) {
	for _, vh := range want {
		if data, err := c.pool.getByVhash(vh); err == nil {
			c.mu.Lock()
			c.entries[vh] = data
			c.mu.Unlock()
		}
	}
}

// Ethereum is the node service.
type Ethereum struct {
	blobPool  *BlobPool
	blobCache *Cache
}

func New(dir string, want []string) (*Ethereum, error) {
	eth := &Ethereum{}
	eth.blobPool = NewBlobPool(dir)
	eth.blobCache = NewCache(eth.blobPool, want)

	if err := eth.blobPool.Init(); err != nil {
		return nil, err
	}
	return eth, nil
}

func (e *Ethereum) GetBlobs(vhashes []string) { e.blobCache.wanted <- vhashes }
