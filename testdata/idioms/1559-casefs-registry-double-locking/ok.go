package a

import (
	"sync"
	"time"
)

type Filesystem interface {
	Type() string
	URI() string
}

type fskey struct {
	fstype string
	uri    string
}

type caseFilesystem struct {
	Filesystem
	mut   sync.Mutex
	cache map[string]string
}

func (f *caseFilesystem) dropCache() {
	f.mut.Lock()
	f.cache = make(map[string]string)
	f.mut.Unlock()
}

// caseFilesystemRegistry caches caseFilesystems and runs a routine to drop
// their cache every now and then.
type caseFilesystemRegistry struct {
	fss          map[fskey]*caseFilesystem
	mut          sync.RWMutex
	startCleaner sync.Once
}

func (r *caseFilesystemRegistry) get(fs Filesystem) Filesystem {
	k := fskey{fs.Type(), fs.URI()}

	// Use double locking when getting a caseFs. In the common case it will
	// already exist and we take the read lock fast path. If it doesn't, we
	// take a write lock and try again.

	r.mut.RLock()
	caseFs, ok := r.fss[k]
	r.mut.RUnlock()

	if !ok {
		r.mut.Lock()
		caseFs, ok = r.fss[k]
		if !ok {
			caseFs = &caseFilesystem{Filesystem: fs, cache: make(map[string]string)}
			r.fss[k] = caseFs
			r.startCleaner.Do(func() {
				go r.cleaner()
			})
		}
		r.mut.Unlock()
	}

	return caseFs
}

func (r *caseFilesystemRegistry) cleaner() {
	for range time.NewTicker(time.Minute).C {
		r.mut.RLock()
		for _, caseFs := range r.fss {
			caseFs.dropCache()
		}
		r.mut.RUnlock()
	}
}

var globalCaseFilesystemRegistry = caseFilesystemRegistry{fss: make(map[fskey]*caseFilesystem)}

// NewCaseFilesystem ensures that the given, potentially case-insensitive filesystem
// behaves like a case-sensitive filesystem.
func NewCaseFilesystem(fs Filesystem) Filesystem {
	return globalCaseFilesystemRegistry.get(fs)
}
