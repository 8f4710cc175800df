package a

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

var ErrAuthNotEnabled = errors.New("auth: authentication is not enabled")

var simpleTokenTTL = 5 * time.Minute

type simpleTokenTTLKeeper struct {
	tokens          map[string]time.Time
	donec           chan struct{}
	stopc           chan struct{}
	deleteTokenFunc func(string)
	mu              *sync.Mutex
}

func (tm *simpleTokenTTLKeeper) stop() {
	close(tm.stopc)
	<-tm.donec
}

func (tm *simpleTokenTTLKeeper) addSimpleToken(token string) {
	tm.tokens[token] = time.Now().Add(simpleTokenTTL)
}

func (tm *simpleTokenTTLKeeper) run() {
	tokenTicker := time.NewTicker(time.Second)
	defer tokenTicker.Stop()
	defer close(tm.donec)
	for {
		select {
		case <-tokenTicker.C:
			nowtime := time.Now()
			tm.mu.Lock()
			for t, tokenendtime := range tm.tokens {
				if nowtime.After(tokenendtime) {
					tm.deleteTokenFunc(t)
					delete(tm.tokens, t)
				}
			}
			tm.mu.Unlock()
		case <-tm.stopc:
			return
		}
	}
}

type tokenSimple struct {
	simpleTokensMu    sync.Mutex
	simpleTokenKeeper *simpleTokenTTLKeeper
	simpleTokens      map[string]string // token -> username
}

func (t *tokenSimple) assignSimpleTokenToUser(username, token string) {
	t.simpleTokensMu.Lock()
	defer t.simpleTokensMu.Unlock()

	if _, ok := t.simpleTokens[token]; ok {
		panic(fmt.Sprintf("token %s is alredy used", token))
	}

	t.simpleTokens[token] = username
	t.simpleTokenKeeper.addSimpleToken(token)
}

func (t *tokenSimple) enable() {
	t.simpleTokensMu.Lock()
	defer t.simpleTokensMu.Unlock()
	tk := &simpleTokenTTLKeeper{
		tokens:          make(map[string]time.Time),
		donec:           make(chan struct{}),
		stopc:           make(chan struct{}),
		deleteTokenFunc: func(tk string) { delete(t.simpleTokens, tk) },
		mu:              &t.simpleTokensMu,
	}
	t.simpleTokenKeeper = tk
	go tk.run()
}

func (t *tokenSimple) disable() {
	t.simpleTokensMu.Lock()
	tk := t.simpleTokenKeeper
	t.simpleTokenKeeper = nil
	t.simpleTokens = make(map[string]string) // invalidate all tokens
	t.simpleTokensMu.Unlock()
	if tk != nil {
		tk.stop()
	}
}

type authStore struct {
	enabledMu     sync.RWMutex
	enabled       bool
	tokenProvider *tokenSimple
}

func (as *authStore) AuthEnable() {
	as.enabledMu.Lock()
	defer as.enabledMu.Unlock()
	if as.enabled {
		return
	}
	as.enabled = true
	as.tokenProvider.enable()
}

func (as *authStore) AuthDisable() {
	as.enabledMu.Lock()
	defer as.enabledMu.Unlock()
	if !as.enabled {
		return
	}
	as.enabled = false
	as.tokenProvider.disable()
}

func (as *authStore) isAuthEnabled() bool {
	as.enabledMu.RLock()
	defer as.enabledMu.RUnlock()
	return as.enabled
}

func (as *authStore) Authenticate(username, simpleToken string, index uint64) (string, error) {
	if !as.isAuthEnabled() {
		return "", ErrAuthNotEnabled
	}
	token := fmt.Sprintf("%s.%d", simpleToken, index)
	as.tokenProvider.assignSimpleTokenToUser(username, token)
	return token, nil
}
