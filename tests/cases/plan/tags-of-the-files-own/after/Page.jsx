const page = (<div><Content>
<Hello/>
</Content>
<Content>
</Content></div>);
