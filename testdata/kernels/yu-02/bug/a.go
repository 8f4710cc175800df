package a

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var ErrExpired = errors.New("coupon: expired")

type Coupon struct {
	Code    string
	Owner   string
	Percent int64
	MaxOff  int64 // cents
	Expires time.Time
}

func (c Coupon) off(total int64) int64 {
	d := total * c.Percent / 100
	if c.MaxOff > 0 && d > c.MaxOff {
		d = c.MaxOff
	}
	return d
}

type redemption struct {
	order string
	off   int64
}

// Wallet holds the single-use coupons handed out to customers.
type Wallet struct {
	coupons  sync.Map // code -> Coupon
	redeemed sync.Map // code -> redemption
	saved    atomic.Int64
	log      *log.Logger
}

func NewWallet(l *log.Logger) *Wallet {
	return &Wallet{log: l}
}

// Issue puts a coupon into the wallet, codes are unique.
func (w *Wallet) Issue(c Coupon) error {
	if c.Percent <= 0 || c.Percent > 100 {
		return fmt.Errorf("coupon %s: bad percentage %d", c.Code, c.Percent)
	}
	if _, dup := w.coupons.LoadOrStore(c.Code, c); dup {
		return fmt.Errorf("coupon %s: already issued", c.Code)
	}
	return nil
}

// Redeem uses the coupon for an order and returns the discount in cents.
func (w *Wallet) Redeem(code, order string, total int64) (int64, error) {
	v, ok := w.coupons.Load(code)
	if !ok {
		return 0, fmt.Errorf("coupon %s: unknown", code)
	}
	c := v.(Coupon)
	if time.Now().After(c.Expires) {
		return 0, ErrExpired
	}
	if prev, used := w.redeemed.Load(code); used {
		return 0, fmt.Errorf("coupon %s: used for order %s", code, prev.(redemption).order)
	}
	off := c.off(total)
	w.redeemed.Store(code, redemption{order: order, off: off})
	w.saved.Add(off)
	w.log.Printf("coupon %s: order %s, %d off", code, order, off)
	return off, nil
}

// Release makes the coupon usable again after its order was cancelled.
func (w *Wallet) Release(code, order string) bool {
	v, ok := w.redeemed.Load(code)
	if !ok || v.(redemption).order != order {
		return false
	}
	if !w.redeemed.CompareAndDelete(code, v) {
		return false
	}
	w.saved.Add(-v.(redemption).off)
	return true
}

// Saved is the sum of all discounts given.
func (w *Wallet) Saved() int64 { return w.saved.Load() }

// Open lists the codes of an owner that have not been used yet.
func (w *Wallet) Open(owner string) []string {
	var codes []string
	w.coupons.Range(func(k, v any) bool {
		if v.(Coupon).Owner != owner {
			return true
		}
		if _, used := w.redeemed.Load(k); !used {
			codes = append(codes, k.(string))
		}
		return true
	})
	return codes
}

func (w *Wallet) Checkout(rw http.ResponseWriter, r *http.Request) {
	total, err := strconv.ParseInt(r.FormValue("total"), 10, 64)
	if err != nil || total <= 0 {
		http.Error(rw, "bad total", http.StatusBadRequest)
		return
	}
	off, err := w.Redeem(r.FormValue("code"), r.FormValue("order"), total)
	if err != nil {
		http.Error(rw, err.Error(), http.StatusConflict)
		return
	}
	fmt.Fprintf(rw, "%d\n", total-off)
}
