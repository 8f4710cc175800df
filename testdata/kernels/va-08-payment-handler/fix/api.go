package pay

import (
	"encoding/json"
	"net/http"
	"sync"
)

type receipt struct {
	Status string `json:"status"`
	ID     string `json:"id"`
}

type ledger struct {
	sync.Mutex
	byKey map[string]receipt
}

type API struct {
	done   ledger
	charge func(card string) (string, error)
}

func NewAPI(charge func(string) (string, error)) *API {
	return &API{charge: charge, done: ledger{byKey: make(map[string]receipt)}}
}

func (l *ledger) put(key string, r receipt) {
	l.Lock()
	defer func() { l.Unlock() }()
	l.byKey[key] = r
}

func (l *ledger) forget(key string) {
	l.Lock()
	defer func() { l.Unlock() }()
	delete(l.byKey, key)
}

func (l *ledger) reserve(key string) (r receipt, ok bool) {
	l.Lock()
	defer func() { l.Unlock() }()
	if r, ok = l.byKey[key]; !ok {
		l.byKey[key] = receipt{Status: "pending"}
	}
	return
}

func (a *API) handle(key, card string) (receipt, int) {
	if r, seen := a.done.reserve(key); seen {
		return r, http.StatusOK
	}
	id, err := a.charge(card)
	if err != nil {
		a.done.forget(key)
		return receipt{Status: "declined"}, http.StatusPaymentRequired
	}
	r := receipt{Status: "charged", ID: id}
	a.done.put(key, r)
	return r, http.StatusCreated
}

func (a *API) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	key := req.Header.Get("Idempotency-Key")
	if key == "" {
		http.Error(w, "missing key", http.StatusBadRequest)
		return
	}
	r, code := a.handle(key, req.FormValue("card"))
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(r)
}
