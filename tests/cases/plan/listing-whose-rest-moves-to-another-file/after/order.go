package shop

import "strings"

type Order struct {
	Lines []string
}

func (o Order) Label() string {
	return clean(strings.Join(o.Lines, ", "))
}

func shout(text string) string {
	return strings.ToUpper(text) + "!"
}
