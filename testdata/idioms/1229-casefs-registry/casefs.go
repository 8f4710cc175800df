package fs

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	// How long to consider cached dirnames valid
	caseCacheTimeout   = time.Second
	caseCacheItemLimit = 4 << 10
)

// ErrNotExist is returned for names that do not exist.
var ErrNotExist = errors.New("file does not exist")

// The Filesystem interface abstracts access to the file system.
type Filesystem interface {
	DirNames(name string) ([]string, error)
	Create(name string) error
	Remove(name string) error
	URI() string
	Options() string
}

type fskey struct {
	uri, opts string
}

// caseFilesystemRegistry caches caseFilesystems and runs a routine to drop
// their cache every now and then.
type caseFilesystemRegistry struct {
	caseCaches   map[fskey]*caseCache
	mut          sync.RWMutex
	startCleaner sync.Once
}

func newFSKey(fs Filesystem) fskey {
	return fskey{uri: fs.URI(), opts: fs.Options()}
}

func (r *caseFilesystemRegistry) get(fs Filesystem) *caseFilesystem {
	k := newFSKey(fs)

	// Use double locking when getting a caseFs. In the common case it will
	// already exist and we take the read lock fast path. If it doesn't, we
	// take a write lock and try again.

	r.mut.RLock()
	cache, ok := r.caseCaches[k]
	r.mut.RUnlock()

	if !ok {
		r.mut.Lock()
		cache, ok = r.caseCaches[k]
		if !ok {
			cache = newCaseCache()
			r.caseCaches[k] = cache
			r.startCleaner.Do(func() {
				go r.cleaner()
			})
		}
		r.mut.Unlock()
	}

	return &caseFilesystem{
		Filesystem: fs,
		realCaser: &defaultRealCaser{
			fs:    fs,
			cache: cache,
		},
	}
}

func (r *caseFilesystemRegistry) cleaner() {
	for range time.NewTicker(time.Minute).C {
		// We need to not hold this lock for a long time, as it blocks
		// creating new filesystems in get(), which is needed to do things
		// like add new folders. The (*caseFs).dropCache() method can take
		// an arbitrarily long time to kick in because it in turn waits for
		// locks held by things performing I/O. So we can't call that from
		// within the loop.

		r.mut.RLock()
		toProcess := make([]*caseCache, 0, len(r.caseCaches))
		for _, cache := range r.caseCaches {
			toProcess = append(toProcess, cache)
		}
		r.mut.RUnlock()

		for _, cache := range toProcess {
			cache.Purge()
		}
	}
}

var globalCaseFilesystemRegistry = caseFilesystemRegistry{caseCaches: make(map[fskey]*caseCache)}

// caseFilesystem is a Filesystem with a case-sensitive view onto a
// potentially case-insensitive underlying filesystem.
type caseFilesystem struct {
	Filesystem
	realCaser *defaultRealCaser
}

// NewCaseFilesystem ensures that the given, potentially case-insensitive filesystem
// behaves like a case-sensitive filesystem.
func NewCaseFilesystem(fs Filesystem) Filesystem {
	return globalCaseFilesystemRegistry.get(fs)
}

func (f *caseFilesystem) DirNames(name string) ([]string, error) {
	if err := f.checkCase(name); err != nil {
		return nil, err
	}
	return f.Filesystem.DirNames(name)
}

func (f *caseFilesystem) Create(name string) error {
	if err := f.Filesystem.Create(name); err != nil {
		return err
	}
	f.realCaser.cache.added(name)
	return nil
}

func (f *caseFilesystem) Remove(name string) error {
	if err := f.Filesystem.Remove(name); err != nil {
		return err
	}
	f.realCaser.cache.removed(name)
	return nil
}

func (f *caseFilesystem) checkCase(name string) error {
	realName, err := f.realCaser.realCase(name)
	if err != nil {
		return err
	}
	if realName != name {
		return errors.New("uses different upper or lowercase characters: " + realName)
	}
	return nil
}

type defaultRealCaser struct {
	cache *caseCache
	fs    Filesystem
}

// dirCache holds the nodes; it is safe for concurrent use.
type dirCache struct {
	cacheMut sync.Mutex
	nodes    map[string]*caseNode
}

func (c *dirCache) Get(key string) (*caseNode, bool) {
	c.cacheMut.Lock()
	defer c.cacheMut.Unlock()
	n, ok := c.nodes[key]
	return n, ok
}

func (c *dirCache) Add(key string, n *caseNode) {
	c.cacheMut.Lock()
	defer c.cacheMut.Unlock()
	if len(c.nodes) >= caseCacheItemLimit {
		clear(c.nodes)
	}
	c.nodes[key] = n
}

func (c *dirCache) Remove(key string) {
	c.cacheMut.Lock()
	defer c.cacheMut.Unlock()
	delete(c.nodes, key)
}

// Purge is used to completely clear the cache.
func (c *dirCache) Purge() {
	c.cacheMut.Lock()
	defer c.cacheMut.Unlock()
	clear(c.nodes)
}

type caseCache struct {
	*dirCache

	mut sync.Mutex
}

func newCaseCache() *caseCache {
	return &caseCache{
		dirCache: &dirCache{nodes: make(map[string]*caseNode)},
	}
}

func (r *defaultRealCaser) realCase(name string) (string, error) {
	realName := "."
	if name == realName {
		return realName, nil
	}

	r.cache.mut.Lock()
	defer r.cache.mut.Unlock()

	for _, comp := range strings.Split(filepath.Clean(name), string(filepath.Separator)) {
		node := r.cache.getExpireAdd(realName, r.fs)

		if node.err != nil {
			return "", node.err
		}

		// Try to find a direct or case match
		if _, ok := node.children[comp]; !ok {
			comp, ok = node.lowerToReal[strings.ToLower(comp)]
			if !ok {
				return "", ErrNotExist
			}
		}

		realName = filepath.Join(realName, comp)
	}

	return realName, nil
}

// added updates the cached listing of name's parent directory to include
// name, dropping any cached listing for name itself.
func (c *caseCache) added(name string) {
	c.mut.Lock()
	defer c.mut.Unlock()

	c.Remove(name)

	node, ok := c.Get(filepath.Dir(name))
	if !ok || node.err != nil {
		return
	}

	base := filepath.Base(name)
	node.children[base] = struct{}{}
	node.lowerToReal[strings.ToLower(base)] = base
}

// removed drops the cached listings of name and its parent directory.
func (c *caseCache) removed(name string) {
	c.mut.Lock()
	defer c.mut.Unlock()

	c.Remove(name)
	c.Remove(filepath.Dir(name))
}

// getExpireAdd gets an entry for the given key. If no entry exists, or it is
// expired a new one is created and added to the cache. The caller must hold
// c.mut.
func (c *caseCache) getExpireAdd(key string, fs Filesystem) *caseNode {
	node, ok := c.Get(key)
	if !ok {
		node := newCaseNode(key, fs)
		c.Add(key, node)
		return node
	}
	if node.expires.Before(time.Now()) {
		node = newCaseNode(key, fs)
		c.Add(key, node)
	}
	return node
}

// The keys to children are "real", case resolved names of the path
// component this node represents (i.e. containing no path separator).
// lowerToReal is a map of lowercase path components (as in UnicodeLowercase)
// to their corresponding "real", case resolved names.
type caseNode struct {
	expires     time.Time
	lowerToReal map[string]string
	children    map[string]struct{}
	err         error
}

func newCaseNode(name string, filesystem Filesystem) *caseNode {
	node := new(caseNode)
	dirNames, err := filesystem.DirNames(name)
	// Set expiry after calling DirNames in case this is super-slow
	// (e.g. dirs with many children on android)
	node.expires = time.Now().Add(caseCacheTimeout)
	if err != nil {
		node.err = err
		return node
	}

	num := len(dirNames)
	node.children = make(map[string]struct{}, num)
	node.lowerToReal = make(map[string]string, num)
	for _, n := range dirNames {
		node.children[n] = struct{}{}
		lower := strings.ToLower(n)
		if _, ok := node.lowerToReal[lower]; !ok {
			node.lowerToReal[lower] = n
		}
	}

	return node
}
