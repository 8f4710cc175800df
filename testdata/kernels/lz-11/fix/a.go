package a

import (
	"fmt"
	"net"
	"sync"
	"sync/atomic"
)

// Listen is like net.Listen, except Caddy's listeners can overlap
// each other: multiple listeners may be created on the same socket
// at the same time.
func Listen(network, addr string) (net.Listener, error) {
	lnKey := network + "/" + addr

	sharedLn, _, err := listenerPool.LoadOrNew(lnKey, func() (Destructor, error) {
		ln, err := net.Listen(network, addr)
		if err != nil {
			return nil, err
		}
		return &sharedListener{Listener: ln, key: lnKey}, nil
	})
	if err != nil {
		return nil, err
	}

	return &fakeCloseListener{sharedListener: sharedLn.(*sharedListener)}, nil
}

type fakeCloseListener struct {
	closed          int32 // accessed atomically; belongs to this struct only
	*sharedListener       // embedded, so we also become a net.Listener
}

func (fcl *fakeCloseListener) Accept() (net.Conn, error) {
	// if the listener is already "closed", return error
	if atomic.LoadInt32(&fcl.closed) == 1 {
		return nil, errFakeClosed
	}
	return fcl.sharedListener.Accept()
}

// Close stops accepting new connections without closing the
// underlying listener. The underlying listener is only closed
// if the caller is the last known user of the socket.
func (fcl *fakeCloseListener) Close() error {
	if atomic.CompareAndSwapInt32(&fcl.closed, 0, 1) {
		_, err := listenerPool.Delete(fcl.sharedListener.key)
		return err
	}
	return nil
}

var errFakeClosed = fmt.Errorf("listener 'closed'")

type sharedListener struct {
	net.Listener
	key string // uniquely identifies this listener
}

func (sl *sharedListener) Destruct() error { return sl.Listener.Close() }

var listenerPool = &UsagePool{pool: make(map[string]*usagePoolVal)}

type UsagePool struct {
	sync.RWMutex
	pool map[string]*usagePoolVal
}

func (up *UsagePool) LoadOrNew(key string, construct Constructor) (value Destructor, loaded bool, err error) {
	var upv *usagePoolVal
	up.Lock()
	upv, loaded = up.pool[key]
	if loaded {
		atomic.AddInt32(&upv.refs, 1)
		up.Unlock()
		upv.RLock()
		value = upv.value
		err = upv.err
		upv.RUnlock()
	} else {
		upv = &usagePoolVal{refs: 1}
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
	}
	return
}

func (up *UsagePool) Delete(key string) (deleted bool, err error) {
	up.Lock()
	upv, ok := up.pool[key]
	if !ok {
		up.Unlock()
		return false, nil
	}
	refs := atomic.AddInt32(&upv.refs, -1)
	if refs == 0 {
		delete(up.pool, key)
		up.Unlock()
		upv.RLock()
		val := upv.value
		upv.RUnlock()
		return true, val.Destruct()
	}
	up.Unlock()
	return
}

type Constructor func() (Destructor, error)

type Destructor interface{ Destruct() error }

type usagePoolVal struct {
	refs  int32 // accessed atomically
	value Destructor
	err   error
	sync.RWMutex
}

// App is one running configuration; the old one is stopped in the background
// while the new one starts.
type App struct{ ln net.Listener }

func (app *App) Start(addr string) (err error) {
	app.ln, err = Listen("tcp", addr)
	return err
}

func (app *App) Stop() { app.ln.Close() }
