package shop

import "strings"

type Order struct {
	Lines []string
}

func (o Order) Label() string {
	return clean(strings.Join(o.Lines, ", "))
}

func clean(text string) string {
	text = strings.TrimSpace(text)
	text = strings.ReplaceAll(text, "\t", " ")
	return text
}

func shorten(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return text[:most-1] + "…"
}

func shout(text string) string {
	return strings.ToUpper(text) + "!"
}
