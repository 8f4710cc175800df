// Package keycard attaches credentials made by a helper to requests.
package keycard

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"
)

// Card is a credential. Cards are not changed once made.
type Card struct {
	Token  string
	Serial string
	Until  time.Time // zero if the card does not expire
}

// Helper makes a new card. This may take seconds and may ask the user.
type Helper func(ctx context.Context) (*Card, error)

// Desk hands out the present card.
type Desk struct {
	helper Helper
	now    func() time.Time

	mu       sync.Mutex // also held while the helper runs
	card     *Card
	onChange []func()
}

// NewDesk returns a desk that gets its cards from h.
func NewDesk(h Helper) *Desk {
	return &Desk{helper: h, now: time.Now}
}

// OnChange registers f to be called when the serial of the card changes. f is
// called with the desk locked.
func (d *Desk) OnChange(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.onChange = append(d.onChange, f)
}

func (d *Desk) expired() bool {
	return !d.card.Until.IsZero() && d.now().After(d.card.Until)
}

// Card returns a card that has not expired.
func (d *Desk) Card(ctx context.Context) (*Card, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.card != nil && !d.expired() {
		return d.card, nil
	}
	if err := d.renewLocked(ctx); err != nil {
		return nil, err
	}
	return d.card, nil
}

// Rejected tells the desk that used was turned down. The helper is run, unless
// that has been done since used was handed out.
func (d *Desk) Rejected(ctx context.Context, used *Card) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if used != d.card {
		return nil
	}
	return d.renewLocked(ctx)
}

func (d *Desk) renewLocked(ctx context.Context) error {
	c, err := d.helper(ctx)
	if err != nil {
		return err
	}
	if c == nil || c.Token == "" {
		return errors.New("helper returned no token")
	}
	old := d.card
	fresh := *c
	d.card = &fresh
	if old != nil && old.Serial != fresh.Serial {
		for _, f := range d.onChange {
			f()
		}
	}
	return nil
}

// transport adds the card to requests that bring none of their own.
type transport struct {
	desk *Desk
	base http.RoundTripper
}

// Wrap returns a RoundTripper that uses the cards of d.
func Wrap(d *Desk, base http.RoundTripper) http.RoundTripper {
	return &transport{desk: d, base: base}
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Authorization") != "" {
		return t.base.RoundTrip(req)
	}
	card, err := t.desk.Card(req.Context())
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+card.Token)

	res, err := t.base.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode == http.StatusUnauthorized {
		// The caller may try again, then with the new card.
		if err := t.desk.Rejected(req.Context(), card); err != nil {
			res.Header.Set("Warning", "199 - "+err.Error())
		}
	}
	return res, nil
}
