package a

import (
	"sync"
	"time"
)

type fskey struct {
	fstype string
	uri    string
}

type realCaser struct {
	mut   sync.Mutex
	names map[string]string
}

func (r *realCaser) realCase(name string, lookup func(string) string) string {
	r.mut.Lock()
	defer r.mut.Unlock()
	if real, ok := r.names[name]; ok {
		return real
	}
	real := lookup(name)
	r.names[name] = real
	return real
}

func (r *realCaser) dropCache() {
	r.mut.Lock()
	defer r.mut.Unlock()
	r.names = make(map[string]string)
}

// caseFilesystemRegistry caches the case-checking file systems and runs a
// routine to drop their cache every now and then.
type caseFilesystemRegistry struct {
	fss          map[fskey]*realCaser
	mut          sync.RWMutex
	startCleaner sync.Once
}

func newCaseFilesystemRegistry() *caseFilesystemRegistry {
	return &caseFilesystemRegistry{fss: make(map[fskey]*realCaser)}
}

func (r *caseFilesystemRegistry) Get(fstype, uri string) *realCaser {
	k := fskey{fstype, uri}

	r.mut.RLock()
	caseFs, ok := r.fss[k]
	r.mut.RUnlock()

	if !ok {
		r.mut.Lock()
		caseFs, ok = r.fss[k]
		if !ok {
			caseFs = &realCaser{names: make(map[string]string)}
			r.fss[k] = caseFs
			r.startCleaner.Do(func() { go r.cleaner() })
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
