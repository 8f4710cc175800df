package bug

import (
	"errors"
	"sync/atomic"
	"time"
)

var errNoBackend = errors.New("all the backends are broken")

const failTimeout = 3 * time.Second

// backendURL is one backend behind a user's url_prefix.
type backendURL struct {
	url                string
	brokenDeadline     atomic.Int64
	concurrentRequests atomic.Int32
}

func (bu *backendURL) isBroken() bool {
	return time.Now().UnixNano() < bu.brokenDeadline.Load()
}

func (bu *backendURL) setBroken() {
	bu.brokenDeadline.Store(time.Now().Add(failTimeout).UnixNano())
}

func (bu *backendURL) get() { bu.concurrentRequests.Add(1) }
func (bu *backendURL) put() { bu.concurrentRequests.Add(-1) }

type URLPrefix struct {
	n   atomic.Uint32
	bus []*backendURL
}

func NewURLPrefix(urls []string) *URLPrefix {
	up := &URLPrefix{}
	for _, u := range urls {
		up.bus = append(up.bus, &backendURL{url: u})
	}
	return up
}

func (up *URLPrefix) getBackendURL() *backendURL {
	return getLeastLoadedBackendURL(up.bus, &up.n)
}

// getLeastLoadedBackendURL returns an idle backend if there is one; the next
// in turn otherwise. put() must be called on the returned backend.
func getLeastLoadedBackendURL(bus []*backendURL, atomicCounter *atomic.Uint32) *backendURL {
	if len(bus) == 1 {
		bu := bus[0]
		bu.get()
		return bu
	}

	n := atomicCounter.Add(1) - 1
	for i := uint32(0); i < uint32(len(bus)); i++ {
		idx := (n + i) % uint32(len(bus))
		bu := bus[idx]
		if bu.isBroken() {
			continue
		}
		if bu.concurrentRequests.Load() == 0 {
			// Fast path - return the backend with zero concurrently executed requests.
			bu.concurrentRequests.Add(1)
			return bu
		}
	}

	// Slow path - every backend is busy or broken.
	bu := bus[n%uint32(len(bus))]
	bu.get()
	return bu
}

type roundTripper func(url string) error

// processRequest runs in one goroutine for each incoming request.
func processRequest(up *URLPrefix, rt roundTripper) error {
	for range up.bus {
		bu := up.getBackendURL()
		err := rt(bu.url)
		bu.put()
		if err == nil {
			return nil
		}
		bu.setBroken()
	}
	return errNoBackend
}

func Serve(up *URLPrefix, rt roundTripper, reqs <-chan chan<- error) {
	for r := range reqs {
		go func(res chan<- error) {
			res <- processRequest(up, rt)
		}(r)
	}
}
