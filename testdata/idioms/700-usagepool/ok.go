// Package usagepool shares values between configurations and counts their use.
package usagepool

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
)

// Constructor is a function that returns a new value
// that can destruct itself when it is no longer needed.
type Constructor func() (Destructor, error)

// Destructor is a value that can clean itself up when
// it is deallocated.
type Destructor interface {
	Destruct() error
}

type usagePoolVal struct {
	refs  atomic.Int32
	value Destructor
	err   error
	sync.RWMutex
}

// UsagePool is a thread-safe map that pools values
// based on usage (reference counting). Values are
// only inserted if they do not already exist.
type UsagePool struct {
	sync.RWMutex
	pool map[string]*usagePoolVal
}

// NewUsagePool returns a new usage pool that is ready to use.
func NewUsagePool() *UsagePool {
	return &UsagePool{pool: make(map[string]*usagePoolVal)}
}

// LoadOrNew loads the value associated with key from the pool if it
// already exists. If the key doesn't exist, it will call construct
// to create a new value and then stores that in the pool. An error
// is only returned if the constructor returns an error.
func (up *UsagePool) LoadOrNew(key string, construct Constructor) (value Destructor, loaded bool, err error) {
	up.Lock()
	upv, loaded := up.pool[key]
	if loaded {
		upv.refs.Add(1)
		up.Unlock()
		upv.RLock()
		value, err = upv.value, upv.err
		upv.RUnlock()
		return value, loaded, err
	}
	upv = &usagePoolVal{}
	upv.refs.Store(1)
	upv.Lock()
	up.pool[key] = upv
	up.Unlock()

	value, err = construct()
	if err == nil {
		upv.value = value
	} else {
		upv.err = err
		up.Lock()
		delete(up.pool, key)
		up.Unlock()
	}
	upv.Unlock()
	return value, loaded, err
}

// Delete decrements the usage count for key and removes the
// value from the underlying map if the usage is 0. It returns
// true if the usage count reached 0 and the value was deleted.
// It must be called once for every LoadOrNew that did not fail.
func (up *UsagePool) Delete(key string) (deleted bool, err error) {
	up.Lock()
	upv, ok := up.pool[key]
	if !ok {
		up.Unlock()
		return false, nil
	}
	refs := upv.refs.Add(-1)
	if refs > 0 {
		up.Unlock()
		return false, nil
	}
	delete(up.pool, key)
	up.Unlock()
	upv.RLock()
	val := upv.value
	upv.RUnlock()
	return true, val.Destruct()
}

// References returns the number of references (count of usages) to a
// key in the pool, and true if the key exists, or false otherwise.
func (up *UsagePool) References(key string) (int, bool) {
	up.RLock()
	upv, loaded := up.pool[key]
	up.RUnlock()
	if loaded {
		return int(upv.refs.Load()), true
	}
	return 0, false
}

// sharedTransport keeps the idle connections to one upstream.
type sharedTransport struct {
	*http.Transport
	requests atomic.Int64
}

// Destruct closes what is idle, a request that still runs ends on its own.
func (st *sharedTransport) Destruct() error {
	st.CloseIdleConnections()
	return nil
}

// transports lives as long as the process, configurations come and go.
var transports = NewUsagePool()

// Handler proxies the requests of one route.
type Handler struct {
	Upstream string
	CAFile   string

	key       string
	transport *sharedTransport
}

// Provision sets up the handler, it is called before the old configuration
// is cleaned up.
func (h *Handler) Provision() error {
	h.key = h.Upstream + "|" + h.CAFile
	value, loaded, err := transports.LoadOrNew(h.key, func() (Destructor, error) {
		tlsConfig := &tls.Config{MinVersion: tls.VersionTLS12}
		if h.CAFile != "" {
			pem, err := os.ReadFile(h.CAFile)
			if err != nil {
				return nil, err
			}
			tlsConfig.RootCAs = x509.NewCertPool()
			if !tlsConfig.RootCAs.AppendCertsFromPEM(pem) {
				return nil, errors.New("no certificate in " + h.CAFile)
			}
		}
		return &sharedTransport{Transport: &http.Transport{TLSClientConfig: tlsConfig}}, nil
	})
	if err != nil {
		return fmt.Errorf("transport for %s: %w", h.Upstream, err)
	}
	h.transport = value.(*sharedTransport)
	if n, ok := transports.References(h.key); ok && loaded {
		log.Printf("[DEBUG] reusing the transport for %s, %d uses", h.Upstream, n)
	}
	return nil
}

// RoundTrip sends the request to the upstream.
func (h *Handler) RoundTrip(r *http.Request) (*http.Response, error) {
	h.transport.requests.Add(1)
	r.URL.Host = h.Upstream
	return h.transport.RoundTrip(r)
}

// Cleanup is called once for a handler that was provisioned.
func (h *Handler) Cleanup() error {
	_, err := transports.Delete(h.key)
	return err
}
