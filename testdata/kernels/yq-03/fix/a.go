package a

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"log"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Mailer delivers a login code.
type Mailer interface {
	SendCode(ctx context.Context, email, code string) error
}

// Sessions opens sessions for users that have proved who they are.
type Sessions interface {
	Create(ctx context.Context, email string) (token string, err error)
}

type pending struct {
	code    string
	expires time.Time
}

// NewLogin gives the two endpoints of the login by mail: one sends a code
// that can be used one time, the other takes it for a session.
func NewLogin(ctx context.Context, mail Mailer, sessions Sessions, ttl time.Duration) http.Handler {
	var (
		mu    sync.Mutex
		codes = make(map[string]pending)
		sent  int
	)

	issue := func(email string) string {
		code := rand.Text()[:8]
		mu.Lock()
		defer mu.Unlock()
		codes[email] = pending{code: code, expires: time.Now().Add(ttl)}
		sent++
		return code
	}

	redeem := func(email, code string) bool {
		mu.Lock()
		defer mu.Unlock()
		p, ok := codes[email]
		if !ok || time.Now().After(p.expires) {
			return false
		}
		if subtle.ConstantTimeCompare([]byte(p.code), []byte(code)) != 1 {
			return false
		}
		delete(codes, email)
		return true
	}

	expire := func(now time.Time) (n int) {
		mu.Lock()
		defer mu.Unlock()
		for email, p := range codes {
			if now.After(p.expires) {
				delete(codes, email)
				n++
			}
		}
		return n
	}

	go func() {
		t := time.NewTicker(ttl)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case now := <-t.C:
				if n := expire(now); n > 0 {
					log.Printf("login: %d codes were never used", n)
				}
			}
		}
	}()

	mux := http.NewServeMux()
	mux.HandleFunc("POST /login/code", func(w http.ResponseWriter, r *http.Request) {
		email := strings.ToLower(r.FormValue("email"))
		if !strings.Contains(email, "@") {
			http.Error(w, "bad address", http.StatusBadRequest)
			return
		}
		if err := mail.SendCode(r.Context(), email, issue(email)); err != nil {
			http.Error(w, "cannot send mail", http.StatusBadGateway)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	})
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		email := strings.ToLower(r.FormValue("email"))
		if !redeem(email, r.FormValue("code")) {
			http.Error(w, "wrong code", http.StatusForbidden)
			return
		}
		token, err := sessions.Create(r.Context(), email)
		if err != nil {
			http.Error(w, "try again", http.StatusServiceUnavailable)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: token, HttpOnly: true, Secure: true})
	})
	mux.HandleFunc("GET /login/stats", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		open, all := len(codes), sent
		mu.Unlock()
		log.Printf("login: %d of %d codes open", open, all)
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}
